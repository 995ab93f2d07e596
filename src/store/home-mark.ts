import { z } from 'zod';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { encodeJson, forgotten, readJson } from './json-file.js';
import type { Store } from './port.js';

/**
 * A mark beside the outputs of a batch: which home it was run from, and how far that home had come. A home that is
 * another one, or that went back to an earlier state, knows nothing of what was submitted since, and would pay again.
 */
interface HomeMark {
  schema: 1;
  homeId: string;
  /** The newest reading of the balance that the home held when this was written: one is kept a minute at least. */
  seenMs: number;
  /** When it had last claimed attempts, which comes sooner; an older build does not say. */
  claimedMs?: number;
}

const markSchema: z.ZodType<HomeMark> = z.object({
  schema: z.literal(1),
  homeId: z.string(),
  seenMs: timeSchema,
  claimedMs: timeSchema.exactOptional(),
});
/** The same in the home itself, so that both can be compared. */
export const claimsSchema = z.object({ schema: z.literal(1), atMs: timeSchema });

/** Workers of several machines write it, each by its own clock. */
const CLOCKS_APART_MS = 5_000;

/** In the home first: a mark that is ahead of its own home would refuse it. */
export async function noteClaims({ store, keys }: Home, atMs: number): Promise<void> {
  await store.put(keys.claimed, encodeJson({ schema: 1, atMs }));
}

/** Does nothing for a home that was never bound to a service: nothing can have been submitted from it. */
export async function writeHomeMark(out: Store, home: Home, batch: string): Promise<void> {
  const homeId = await home.homeId();
  if (homeId === undefined) return;
  const [seenMs, claimedMs] = await reached(home);
  await out.put(markKey(home, batch), encodeJson({ schema: 1, homeId, seenMs, claimedMs } satisfies HomeMark));
}

/** How this home differs from the one that the batch's outputs tell of; undefined when it does not, or none is told of. */
export async function homeMismatch(out: Store, home: Home, batch: string): Promise<'another' | 'older' | undefined> {
  const mark = await readJson(out, markKey(home, batch), markSchema, forgotten);
  if (mark === undefined) return undefined;
  if (mark.homeId !== (await home.homeId())) return 'another';
  const [seenMs, claimedMs] = await reached(home);
  const isOlder = seenMs < mark.seenMs || claimedMs < (mark.claimedMs ?? 0) - CLOCKS_APART_MS;
  return isOlder ? 'older' : undefined;
}

/** How far the home has come: its newest reading, and when it claimed last; 0 where there is none. */
async function reached(home: Home): Promise<[seenMs: number, claimedMs: number]> {
  const [reading, claimed] = await Promise.all([
    home.latestCheckpoint(),
    // One that cannot be read says nothing against its home.
    readJson(home.store, home.keys.claimed, claimsSchema, () => ({
      schema: 1 as const,
      atMs: Number.MAX_SAFE_INTEGER,
    })),
  ]);
  return [reading?.atMs ?? 0, claimed?.atMs ?? 0];
}

/** One for each account: a rehearsal beside the real one is no other home. */
function markKey({ account }: Home, batch: string): string {
  return `${batch}/home-${account}.json`;
}
