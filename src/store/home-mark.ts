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
}

const markSchema: z.ZodType<HomeMark> = z.object({ schema: z.literal(1), homeId: z.string(), seenMs: timeSchema });

/** Does nothing for a home that was never bound to a service: nothing can have been submitted from it. */
export async function writeHomeMark(out: Store, home: Home, batch: string): Promise<void> {
  const homeId = await home.homeId();
  if (homeId === undefined) return;
  const seenMs = (await home.latestCheckpoint())?.atMs ?? 0;
  await out.put(markKey(home, batch), encodeJson({ schema: 1, homeId, seenMs } satisfies HomeMark));
}

/** How this home differs from the one that the batch's outputs tell of; undefined when it does not, or none is told of. */
export async function homeMismatch(out: Store, home: Home, batch: string): Promise<'another' | 'older' | undefined> {
  const mark = await readJson(out, markKey(home, batch), markSchema, forgotten);
  if (mark === undefined) return undefined;
  if (mark.homeId !== (await home.homeId())) return 'another';
  return ((await home.latestCheckpoint())?.atMs ?? 0) < mark.seenMs ? 'older' : undefined;
}

/** One for each account: a rehearsal beside the real one is no other home. */
function markKey({ account }: Home, batch: string): string {
  return `${batch}/home-${account}.json`;
}
