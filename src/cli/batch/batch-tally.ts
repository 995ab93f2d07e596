import type { BatchTally } from '../../domain/batch.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { LIVE_WORDS, type LiveWord, needsPerson, STATUSES } from '../../domain/outcome.js';
import { fedMedia } from '../../domain/row.js';
import { indexedSums, keptEntries } from '../../home/batch-index.js';
import { type HeldRows, indexedHeld } from '../../home/held-rows.js';
import { shardOf } from '../../home/home-keys.js';
import type { ShardSum } from '../../home/index-shard.js';
import { endOfUntouched, linesAt, resultLines } from '../../home/result-lines.js';
import { readFollowers, rerunIds } from '../../home/row-orders.js';
import { type TouchedRows, touchedRows } from '../../home/row-records.js';
import { emptyTally, type KnownUpstreams, tallyResults, upstreamOf } from '../../home/upstream.js';
import type { ResultLine } from '../../manifest/result-fields.js';
import { parallel } from '../../store/parallel.js';
import { type HomeAccess, resultSources } from '../access/home-access.js';

export interface HomeTally extends BatchTally {
  /** Rows that ended and that a person has to look at. */
  forPerson: number;
  /** When the last row ended, epoch ms; undefined while none has. */
  endedAtMs: number | undefined;
  /** Rows that ended at or after the given instant. */
  endedSince: number;
  /** The id of the row that the first held one waits for; absent where none is held. */
  heldFor?: string;
}

/** What the home knows of the rows of a batch's manifest, without any engine. */
export async function batchTally(
  access: HomeAccess,
  batch: string,
  generation: string,
  { sinceMs = 0, signal }: { sinceMs?: number /** Throws once it is aborted. */; signal?: AbortSignal } = {},
): Promise<HomeTally> {
  const tally: HomeTally = { ...emptyTally(), forPerson: 0, endedAtMs: undefined, endedSince: 0 };
  const sums = await indexedSums(access, batch, generation, signal);
  if (sums !== undefined) {
    addSums(tally, [...sums.values()], sinceMs);
    await addUntried(access, batch, generation, tally, sums);
    const reruns = await takeReruns(access, batch, generation, tally);
    const lines = reruns.length > 0 ? linesAt(resultSources(access), batch, generation, reruns) : undefined;
    if (lines !== undefined) await tallyResults(seen(lines, tally, sinceMs), tally);
    return tally;
  }
  const lines = untilAborted(resultLines(resultSources(access), batch, generation), signal);
  await tallyResults(seen(lines, tally, sinceMs), tally);
  return tally;
}

/** What a row that is done cost on average, but for reused ones; undefined until one is, and where a cost is not known. */
export function costPerRow(tally: HomeTally): CreditsNano | undefined {
  const { creditsNano, earlierNano = 0, creditsUnknown, counts, reused = 0 } = tally;
  const paid = counts.done - reused;
  return creditsUnknown === 0 && paid > 0 ? (creditsNano - earlierNano) / paid : undefined;
}

/** What all rows come to if the open ones cost as those that are done; null where that is not known. */
export function expectedCredits(tally: HomeTally): string | null {
  const perRowNano = tally.open === 0 && tally.creditsUnknown === 0 ? 0 : costPerRow(tally);
  return perRowNano === undefined ? null : formatCredits(tally.creditsNano + Math.round(perRowNano * tally.open));
}

function addSums(tally: HomeTally, sums: readonly ShardSum[], sinceMs: number): void {
  for (const sum of sums) {
    for (const status of STATUSES) tally.counts[status] += sum.counts[status] ?? 0;
    for (const word of LIVE_WORDS) addLive(tally, word, sum.live[word] ?? 0);
    tally.creditsNano += sum.creditsNano;
    tally.earlierNano = (tally.earlierNano ?? 0) + (sum.earlierNano ?? 0);
    tally.creditsUnknown += sum.creditsUnknown;
    tally.reused = (tally.reused ?? 0) + sum.reused;
    tally.forPerson += sum.forPerson;
    for (const atMs of sum.endedAtMs) {
      tally.endedAtMs = Math.max(tally.endedAtMs ?? 0, atMs);
      if (atMs >= sinceMs) tally.endedSince += 1;
    }
  }
}

/** Rows that were never tried wait, are held, or have ended with their batch but for those of a sample. */
async function addUntried(
  access: HomeAccess,
  batch: string,
  generation: string,
  tally: HomeTally,
  sums: ReadonlyMap<string, ShardSum>,
): Promise<void> {
  const untried = [...sums.values()].reduce((sum, one) => sum + one.untried, 0);
  if (untried === 0) return;
  const untouched = await endOfUntouched(access, batch, generation);
  const left = untouched === undefined ? untried : await untriedOf(access, batch, untouched.except);
  if (untouched !== undefined) tally.counts[untouched.ended] += untried - left;
  const mayRun = untouched && (untouched.except ?? new Set());
  const of = { batch, generation, sums, mayRun };
  const { held, ended, heldFor }: HeldRows =
    left === 0
      ? { held: 0, ended: 0 }
      : ((await indexedHeld(access, of)) ?? (await heldRows(access, batch, generation, mayRun)));
  addLive(tally, 'held', held);
  addLive(tally, 'waiting', left - held - ended);
  tally.counts.not_started += ended;
  if (heldFor !== undefined) tally.heldFor = heldFor;
}

/** Takes rows out that wait to be rendered again, for the index has no look at what feeds them: gives their places. */
async function takeReruns(access: HomeAccess, batch: string, generation: string, tally: HomeTally): Promise<number[]> {
  const ids = tally.live.waiting ? await rerunIds(access.home, batch) : [];
  const records = await access.records.readRecords(batch, ids);
  const ordered = new Set(records.flatMap((record) => (record?.rerunAtMs === undefined ? [] : [record.id])));
  const places: number[] = [];
  for (const shard of new Set([...ordered].map(shardOf))) {
    for (const entry of (await keptEntries(access, batch, generation, shard)) ?? []) {
      const { index, id, live, isReplaced, spent = 0 } = entry;
      if (!ordered.has(id) || live !== 'waiting' || isReplaced) continue;
      addLive(tally, 'waiting', -1);
      tally.creditsNano -= spent;
      tally.earlierNano = (tally.earlierNano ?? 0) - spent;
      places.push(index);
    }
  }
  return places;
}

async function untriedOf({ home }: HomeAccess, batch: string, ids: ReadonlySet<string> = new Set()): Promise<number> {
  const touched = touchedRows(home, batch);
  let untried = 0;
  for (const id of ids) if (!(await touched.hasRecord(id)) && !(await touched.wasTried(id))) untried += 1;
  return untried;
}

function addLive(tally: HomeTally, word: LiveWord, rows: number): void {
  if (rows === 0) return;
  tally.live[word] = (tally.live[word] ?? 0) + rows;
  tally.open += rows;
}

async function* untilAborted<T>(lines: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  for await (const line of lines) {
    signal?.throwIfAborted();
    yield line;
  }
}

async function* seen(lines: AsyncIterable<ResultLine>, tally: HomeTally, sinceMs: number): AsyncIterable<ResultLine> {
  for await (const line of lines) {
    const { record, removed, waitsFor } = line;
    if (waitsFor !== undefined && !removed) tally.heldFor ??= waitsFor;
    if (record !== undefined && !removed) {
      if (needsPerson(record)) tally.forPerson += 1;
      if (record.finishedAtMs >= sinceMs) tally.endedSince += 1;
      tally.endedAtMs = Math.max(tally.endedAtMs ?? 0, record.finishedAtMs);
    }
    yield line;
  }
}

const READ_WIDTH = 32;

/** By a walk over all rows, where the index cannot tell. `mayRun`: the rows of a sample; undefined where all may. */
async function heldRows(
  { home, rows, records }: HomeAccess,
  batch: string,
  generation: string,
  mayRun: ReadonlySet<string> | undefined,
): Promise<HeldRows> {
  const found: HeldRows = { held: 0, ended: 0 };
  const facts = await rows.generation(batch, generation);
  if (facts?.fed === undefined) return found;
  const touched = touchedRows(home, batch);
  // Asked for with every feeder.
  const sources = {
    rows: { ...rows, generation: async () => facts },
    records: listedRecords(records, touched),
    followers: await readFollowers(home, batch),
  };
  const known: KnownUpstreams = new Map();
  for (const part of facts.parts.keys()) {
    const stored = await rows.readPart(batch, generation, part);
    const fed = stored.filter(({ row, isDamaged }) => !isDamaged && fedMedia(row).length > 0);
    const asked = fed.filter(({ row }) => mayRun?.has(row.id) !== false);
    const upstreams = await parallel(asked, READ_WIDTH, async ({ row }) => {
      const isTouched = (await touched.hasRecord(row.id)) || (await touched.wasTried(row.id));
      return isTouched ? undefined : upstreamOf(sources, { batch, generation }, row, known);
    });
    for (const upstream of upstreams) {
      if (upstream === undefined) continue;
      found['ended' in upstream ? 'ended' : 'held'] += 1;
      if ('live' in upstream) found.heldFor ??= upstream.waitsFor;
    }
  }
  return found;
}

/** Asks for a record only where the listings show one: most of what feeds rows that wait has none. */
function listedRecords(records: HomeAccess['records'], touched: TouchedRows): HomeAccess['records'] {
  return {
    ...records,
    readRecord: async (batch, id) => ((await touched.hasRecord(id)) ? records.readRecord(batch, id) : undefined),
  };
}
