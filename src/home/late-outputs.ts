import { z } from 'zod';
import { timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { HomePlace } from './home-keys.js';

/**
 * Rows that feed others and that ended before their output had come, one document each, so that no two writers meet in
 * one. Until the whole batch is ordered again nothing that they feed is begun, whenever the output comes.
 */

export const lateOutput = document(
  z.object({ schema: z.literal(1), atMs: timeSchema }),
  (keys, batch: string, id: string) => keys.late(batch, id),
);

const NAME_END = '.json';

/** Before the row's record says that it ended: no reader sees the output come without this. */
export function noteLate(home: HomePlace, batch: string, id: string, atMs: number): Promise<void> {
  return lateOutput.write(home, { schema: 1, atMs }, batch, id);
}

/** The ids of such rows, whether their output has come or not: by the names alone, so that damage hides none. */
export async function lateRows({ store, keys }: HomePlace, batch: string): Promise<ReadonlySet<string>> {
  const names = await store.names(keys.lateOf(batch));
  return new Set(names.filter((name) => name.endsWith(NAME_END)).map((name) => name.slice(0, -NAME_END.length)));
}

/** That the output of such a row has come since, for whoever tells of it. */
export const landed = document(z.object({ schema: z.literal(1), atMs: timeSchema }), (keys, batch: string) =>
  keys.landed(batch),
);

/** Does nothing for a row that feeds none. */
export async function noteLanded(home: HomePlace, batch: string, id: string, atMs: number): Promise<void> {
  if ((await lateRows(home, batch)).has(id)) await landed.write(home, { schema: 1, atMs }, batch);
}

/** The batches with such an output. */
export async function landedBatches({ store, keys }: HomePlace): Promise<string[]> {
  const names = await store.names(keys.landings);
  return names.filter((name) => name.endsWith(NAME_END)).map((name) => name.slice(0, -NAME_END.length));
}

/** The whole batch is ordered: what they feed may begin. */
export async function clearLate(home: HomePlace, batch: string): Promise<void> {
  await landed.remove(home, batch);
  await home.store.removeAll(home.keys.lateOf(batch));
}
