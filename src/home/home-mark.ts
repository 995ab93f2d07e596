import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { Store } from '../store/port.js';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/**
 * A mark beside the outputs of a batch: which home it was run from, and how far that home had come. A home that is
 * another one, that went back to an earlier state, or that is a copy whose original went on, knows nothing of what was
 * submitted since, and would pay again.
 */
const markSchema = z.object({
  schema: z.literal(1),
  homeId: z.string(),
  /** The newest reading of the balance that the home held when this was written: one is kept a minute at least. */
  seenMs: timeSchema,
  /** Which claims it knew of, by the notes of `by`; an older build names nobody. */
  claimedMs: timeSchema.exactOptional(),
  by: z.string().exactOptional(),
});
/** The same in the home itself, so that both can be compared. */
export const claimsSchema = z.object({ schema: z.literal(1), atMs: timeSchema });

/** The workers of an older build shared one note, each by its own clock. */
const CLOCKS_APART_MS = 5_000;

/**
 * A process that claims or orders attempts. Its notes in the home count up, and no other process writes them: a mark is
 * of this home where the home holds the mark's note or a later one of the same claimer. No clock decides.
 */
export interface Claimer {
  readonly id: string;
  notedMs: number;
  /** Notes are written one after the other: the last one is the newest. */
  noting: Promise<unknown>;
}

export function newClaimer(): Claimer {
  return { id: randomUUID(), notedMs: 0, noting: Promise.resolve() };
}

/**
 * Marks the batch as run from this home. In the home first: a mark that is ahead of its own home would refuse it. Does
 * nothing for a home that was never bound to a service: nothing can have been submitted from it.
 */
export async function writeHomeMark(
  out: Store,
  home: Home,
  { batch, claimer, atMs }: { batch: string; claimer: Claimer; atMs: number },
): Promise<void> {
  const homeId = await home.homeId();
  if (homeId === undefined) return;
  const claimedMs = await note(home, claimer, atMs);
  const seenMs = await newestReading(home);
  const mark: z.output<typeof markSchema> = { schema: 1, homeId, seenMs, claimedMs, by: claimer.id };
  await out.put(markKey(home, batch), encodeJson(mark));
}

async function note({ store, keys }: Home, claimer: Claimer, atMs: number): Promise<number> {
  claimer.notedMs = Math.max(atMs, claimer.notedMs + 1);
  const { notedMs } = claimer;
  const put = () => store.put(keys.claims(claimer.id), encodeJson({ schema: 1, atMs: notedMs }));
  claimer.noting = claimer.noting.then(put, put);
  await claimer.noting;
  return notedMs;
}

/** How this home differs from the one that the batch's outputs tell of; undefined when it does not, or none is told of. */
export async function homeMismatch(out: Store, home: Home, batch: string): Promise<'another' | 'older' | undefined> {
  const mark = await readJson(out, markKey(home, batch), markSchema, forgotten);
  if (mark === undefined) return undefined;
  if (mark.homeId !== (await home.homeId())) return 'another';
  const [seenMs, claimedMs] = await Promise.all([newestReading(home), claimsOf(home, mark.by)]);
  const apartMs = mark.by === undefined ? CLOCKS_APART_MS : 0;
  return seenMs < mark.seenMs || claimedMs < (mark.claimedMs ?? 0) - apartMs ? 'older' : undefined;
}

async function newestReading(home: Home): Promise<number> {
  return (await home.latestCheckpoint())?.atMs ?? 0;
}

/** How far the home's notes of a claimer have come; 0 where it has none. One that cannot be read says nothing against it. */
async function claimsOf({ store, keys }: Home, by: string | undefined): Promise<number> {
  const key = by === undefined ? keys.claimed : keys.claims(by);
  const damaged = () => ({ schema: 1 as const, atMs: Number.MAX_SAFE_INTEGER });
  return (await readJson(store, key, claimsSchema, damaged))?.atMs ?? 0;
}

/** One for each account: a rehearsal beside the real one is no other home. */
function markKey({ account }: Home, batch: string): string {
  return `${batch}/home-${account}.json`;
}
