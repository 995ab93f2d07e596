import { z } from 'zod';
import type { StopReason } from '../domain/limits.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/**
 * Marks on a whole batch. A cancelled one's untouched rows count as cancelled until a retry; those of one that stopped
 * by itself count as not started until it is run again.
 */

export const cancelledSchema = z.object({ schema: z.literal(1), atMs: timeSchema });
type Mark = z.output<typeof cancelledSchema>;

export async function markCancelled(home: Home, batch: string, atMs: number): Promise<void> {
  await home.store.put(cancelledKey(home, batch), encodeJson({ schema: 1, atMs }));
}

export async function clearCancelled(home: Home, batch: string): Promise<void> {
  await home.store.remove(cancelledKey(home, batch));
}

export async function isCancelledBatch(home: Home, batch: string): Promise<boolean> {
  return (await home.store.get(cancelledKey(home, batch))) !== undefined;
}

/** Whether the batch was cancelled at or after an instant, epoch ms. */
export async function wasCancelled(home: Home, batch: string, sinceMs: number): Promise<boolean> {
  // A mark that cannot be read is still a mark: nothing more is sent until a retry.
  const inForce = (): Mark => ({ schema: 1, atMs: Number.MAX_SAFE_INTEGER });
  const mark = await readJson(home.store, cancelledKey(home, batch), cancelledSchema, inForce);
  return mark !== undefined && mark.atMs >= sinceMs;
}

function cancelledKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'cancelled.json');
}

export const rerunSchema = z.object({
  schema: z.literal(1),
  generation: z.string(),
  /** Absent = every row. */
  ids: z.exactOptional(z.array(z.string())),
  atMs: timeSchema,
});

/** Which rows whose content changed after a paid attempt are paid again: every one, none, or those that are named. */
export type RerunOrder = boolean | ReadonlySet<string>;

export function isRerun(order: RerunOrder, id: string): boolean {
  return typeof order === 'boolean' ? order : order.has(id);
}

/** A person ordered that changed rows of this generation are paid again. */
export async function orderRerun(
  home: Home,
  batch: string,
  generation: string,
  order: RerunOrder,
  atMs: number,
): Promise<void> {
  const ids = typeof order === 'boolean' ? {} : { ids: [...order] };
  await home.store.put(rerunKey(home, batch), encodeJson({ schema: 1, generation, ...ids, atMs }));
}

/** What a person ordered for this generation. */
export async function rerunOrder(home: Home, batch: string, generation: string): Promise<RerunOrder> {
  const order = await readJson(home.store, rerunKey(home, batch), rerunSchema, forgotten);
  if (order?.generation !== generation) return false;
  return order.ids === undefined ? true : new Set(order.ids);
}

function rerunKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'rerun.json');
}

export const stoppedSchema = z.object({
  schema: z.literal(1),
  reason: z.enum(['budget_reached', 'too_many_failures']),
  atMs: timeSchema,
});

export async function markStopped(home: Home, batch: string, reason: StopReason, atMs: number): Promise<void> {
  await home.store.put(stoppedKey(home, batch), encodeJson({ schema: 1, reason, atMs }));
}

export async function clearStopped(home: Home, batch: string): Promise<void> {
  await home.store.remove(stoppedKey(home, batch));
}

/** Why a batch stopped by itself when it last ran, or undefined. */
export async function stoppedReason(home: Home, batch: string): Promise<StopReason | undefined> {
  return (await readJson(home.store, stoppedKey(home, batch), stoppedSchema, forgotten))?.reason;
}

function stoppedKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'stopped.json');
}
