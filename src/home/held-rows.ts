import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defined } from '../domain/defined.js';
import type { AccountRecords } from './account-records.js';
import { keep, keptEntries, readKept } from './batch-index.js';
import { readFeeds } from './feeds.js';
import type { IndexEntry, ShardSum } from './index-entry.js';
import { type Followers, readFollowers } from './row-orders.js';

/** Of the rows of a manifest that were never tried: how many wait for a row that feeds them, or for one that failed. */
export interface HeldRows {
  held: number;
  /** The id of the row that the first of them waits for. */
  heldFor?: string;
  /** A row that feeds them ended without an output, or they are left alone. */
  ended: number;
}

interface HeldQuestion {
  batch: string;
  generation: string;
  sums: ReadonlyMap<string, ShardSum>;
  /** The rows of a sample; undefined where all may run. */
  mayRun: ReadonlySet<string> | undefined;
}

const keptSchema = z.object({
  ...{ schema: z.literal(2), of: z.string(), held: z.int(), ended: z.int() },
  heldFor: z.exactOptional(z.string()),
});

/**
 * From the index and from what feeds what, without the rows themselves; kept while the index is as it was. Undefined
 * where the index could not be kept, or what feeds what does not stand in the home as the manifest had it.
 */
export async function indexedHeld(account: AccountRecords, question: HeldQuestion): Promise<HeldRows | undefined> {
  const { batch, generation, sums, mayRun } = question;
  const facts = await account.rows.generation(batch, generation);
  if (facts?.fed === undefined) return { held: 0, ended: 0 };
  const followers = await readFollowers(account.home, batch);
  const of = stampOf(sums, mayRun, followers);
  const key = `${account.home.keys.index(batch, generation)}/held.json`;
  const kept = await readKept(account, key, keptSchema);
  if (kept?.of === of) return kept;
  const states = await statesOf(account, question, facts.rows, followers);
  const feeders = states && (await feedersOf(account, question, facts));
  if (states === undefined || feeders === undefined) return undefined;
  const { firstFeeder, ...counted } = count(states, feeders);
  const heldFor = firstFeeder === undefined ? undefined : await idOf(account, question, firstFeeder);
  const found = { ...counted, ...defined({ heldFor }) };
  await keep(account, key, { schema: 2, of, ...found });
  return found;
}

async function idOf(
  account: AccountRecords,
  { batch, generation, sums }: HeldQuestion,
  index: number,
): Promise<string | undefined> {
  for (const shard of sums.keys()) {
    const found = (await keptEntries(account, batch, generation, shard))?.find((entry) => entry.index === index);
    if (found !== undefined) return found.id;
  }
  return undefined;
}

function stampOf(sums: HeldQuestion['sums'], mayRun: HeldQuestion['mayRun'], followers: Followers): string {
  const { starts, stays, late } = followers;
  const orders = [mayRun ?? null, starts, stays, late].map((ids) => ids && [...ids].sort());
  const hash = createHash('sha256').update(JSON.stringify(orders));
  for (const [shard, sum] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\n${shard} ${JSON.stringify(sum)}`);
  }
  return hash.digest('hex');
}

/** What stands of a row, a byte each: a home may have a million. */
const OPEN = 0;
const UNTRIED = 1;
/** Never tried, and not meant to run now. */
const LEFT = 2;
const DONE = 3;
const ENDED = 4;
/** Done, and its output came after what it feeds had ended. */
const LATE = 5;
/** Never tried, and ordered to follow a row that feeds it, or to be left alone. */
const FOLLOWS = 6;
const STAYS = 7;

async function statesOf(
  account: AccountRecords,
  { batch, generation, sums, mayRun }: HeldQuestion,
  rows: number,
  { starts, stays, late }: Followers,
): Promise<Uint8Array | undefined> {
  const states = new Uint8Array(rows);
  for (const [shard, sum] of sums) {
    const entries = await keptEntries(account, batch, generation, shard);
    let untried = 0;
    for (const entry of entries ?? []) {
      const state = stateOf(entry);
      const { index, id } = entry;
      states[index] = state === DONE && late.has(id) ? LATE : state;
      if (state !== UNTRIED) continue;
      untried += 1;
      states[index] = mayRun?.has(id) === false ? LEFT : stays.has(id) ? STAYS : starts.has(id) ? FOLLOWS : UNTRIED;
    }
    // A shard that could not be written is of another time than its sum.
    if (entries === undefined || untried !== sum.untried) return undefined;
  }
  return states;
}

function stateOf({ end, live, isDamaged, isReplaced }: IndexEntry): number {
  if (live !== undefined || isDamaged || isReplaced) return OPEN;
  if (end === undefined) return UNTRIED;
  // The file that a skipped row was skipped for feeds in its place.
  return end[0] === 'done' || end[0] === 'skipped' ? DONE : ENDED;
}

/** The rows that feed row `i`: from `starts[i]` up to `starts[i + 1]`. */
interface Feeders {
  starts: Uint32Array;
  feeders: Uint32Array;
}

async function feedersOf(
  { home, rows: { generation: factsOf } }: AccountRecords,
  { batch, generation }: HeldQuestion,
  facts: NonNullable<Awaited<ReturnType<typeof factsOf>>>,
): Promise<Feeders | undefined> {
  const pairs: number[] = [];
  const starts = new Uint32Array(facts.rows + 1);
  for (const part of facts.parts.keys()) {
    const { fed: feeds } = await readFeeds(home.store, home.keys.feeds(batch, generation, part));
    for (const [feeder, fed] of feeds) {
      for (const row of fed) {
        if (feeder >= facts.rows || row >= facts.rows) return undefined;
        pairs.push(feeder, row);
        starts[row + 1] = (starts[row + 1] ?? 0) + 1;
      }
    }
  }
  // A document that a disk has damaged leaves rows out.
  if (starts.reduce((fed, feeders) => (feeders > 0 ? fed + 1 : fed), 0) !== facts.fed) return undefined;
  for (let i = 1; i < starts.length; i += 1) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
  const next = starts.slice();
  const feeders = new Uint32Array(pairs.length / 2);
  for (let i = 0; i < pairs.length; i += 2) {
    const [feeder = 0, row = 0] = [pairs[i], pairs[i + 1]];
    const at = next[row] ?? 0;
    feeders[at] = feeder;
    next[row] = at + 1;
  }
  return { starts, feeders };
}

/** How a row stands to what feeds it; 0 = not looked at yet. */
const READY = 1;
const HELD = 2;
const NOTHING = 3;

/** As `upstreamOf` says it of a single row: what brought nothing counts through all rows between. */
function count(
  states: Uint8Array,
  { starts, feeders }: Feeders,
): Pick<HeldRows, 'held' | 'ended'> & { /** That of the first held row. */ firstFeeder: number | undefined } {
  const known = new Uint8Array(states.length);
  const look = (row: number): number => {
    if (states[row] === STAYS) return NOTHING;
    const own = feeders.subarray(starts[row], starts[row + 1]);
    // What is under way or follows by an order takes what came late.
    const takesLate = states[row] === OPEN || states[row] === FOLLOWS;
    const waitedFor = own.filter((feeder) => states[feeder] !== DONE && !(takesLate && states[feeder] === LATE));
    if (waitedFor.length === 0) return READY;
    const brings = waitedFor.every(
      (feeder) => states[feeder] !== ENDED && states[feeder] !== LATE && standing(feeder) !== NOTHING,
    );
    return brings ? HELD : NOTHING;
  };
  // A chain has at most 100 rows: that deep this calls itself.
  const standing = (row: number): number => {
    if (!known[row]) known[row] = look(row);
    return known[row] ?? HELD;
  };
  const found = { held: 0, ended: 0 };
  let firstHeld: number | undefined;
  for (const [row, state] of states.entries()) {
    const isUntried = state === UNTRIED || state === FOLLOWS || state === STAYS;
    if (!isUntried || starts[row] === starts[row + 1]) continue;
    const stands = standing(row);
    if (stands === HELD) {
      found.held += 1;
      firstHeld ??= row;
    }
    if (stands === NOTHING) found.ended += 1;
  }
  const own = firstHeld === undefined ? undefined : feeders.subarray(starts[firstHeld], starts[firstHeld + 1]);
  return { ...found, firstFeeder: own?.find((feeder) => states[feeder] !== DONE) };
}
