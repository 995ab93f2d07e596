import { z } from 'zod';
import type { StopReason } from '../domain/batch.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
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

/** When a batch was paused by its user, for whoever looks back; nothing is decided by it. */
export interface Pause {
  fromMs: number;
  /** Null while it lasts. */
  toMs: number | null;
}

export const pausesSchema = z.object({
  schema: z.literal(1),
  pauses: z.array(z.object({ fromMs: timeSchema, toMs: timeSchema.nullable() })),
});

/** The latest of them are kept. */
const KEPT = 200;

/** Oldest first. */
export async function readPauses(home: Home, batch: string): Promise<Pause[]> {
  return (await readJson(home.store, pausesKey(home, batch), pausesSchema, forgotten))?.pauses ?? [];
}

/** Notes that a pause begins or ends; the same twice is noted once. */
export async function notePause(home: Home, batch: string, isPaused: boolean, atMs: number): Promise<void> {
  const pauses = await readPauses(home, batch);
  const last = pauses.at(-1);
  const isOpen = last !== undefined && last.toMs === null;
  if (isOpen === isPaused) return;
  const next = isOpen
    ? [...pauses.slice(0, -1), { fromMs: last.fromMs, toMs: Math.max(last.fromMs, atMs) }]
    : [...pauses, { fromMs: atMs, toMs: null }];
  await home.store.put(pausesKey(home, batch), encodeJson({ schema: 1, pauses: next.slice(-KEPT) }));
}

function pausesKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'pauses.json');
}

/**
 * A batch of which a sample is run first: until a person approves the rest, nothing but the sample's rows is submitted.
 * It stands in the home, where whatever opens a row or sends a request looks it up: a message cannot get around it.
 */
export interface SampleGate {
  /** The rows that may run. */
  ids: string[];
  atMs: number;
  /** The manifest that was approved, with what the rest may cost; absent until then. Another manifest asks again. */
  approved?: { generation: string; maxCreditsNano: number | null; atMs: number };
}

export const sampleGateSchema = z.object({
  schema: z.literal(1),
  ids: z.array(z.string()),
  atMs: timeSchema,
  approved: z.exactOptional(
    z.object({ generation: z.string(), maxCreditsNano: nanoSchema.nullable(), atMs: timeSchema }),
  ),
});

export async function writeSampleGate(home: Home, batch: string, gate: SampleGate): Promise<void> {
  await home.store.put(gateKey(home, batch), encodeJson({ schema: 1, ...gate }));
}

/** Undefined for a batch that was never run by a sample. One that cannot be read lets nothing through. */
export async function readSampleGate(home: Home, batch: string): Promise<SampleGate | undefined> {
  return readJson(home.store, gateKey(home, batch), sampleGateSchema, () => ({ schema: 1 as const, ids: [], atMs: 0 }));
}

/** The rows that may run while the rest of this manifest waits for its approval; undefined where all may. */
export async function sampleInForce(
  home: Home,
  batch: string,
  generation: string,
): Promise<ReadonlySet<string> | undefined> {
  const gate = await readSampleGate(home, batch);
  return gate === undefined || gate.approved?.generation === generation ? undefined : new Set(gate.ids);
}

function gateKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'sample.json');
}
