import { z } from 'zod';
import type { StopReason } from '../domain/batch.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { HomePlace } from './home-keys.js';
import { type SampleQuote, sampleQuoteSchema } from './sample-quote.js';

/**
 * Marks on a whole batch. A cancelled one's untouched rows count as cancelled until a retry; those of one that stopped
 * by itself count as not started until it is run again.
 */

export const cancelled = document(
  z.object({ schema: z.literal(1), atMs: timeSchema }),
  (keys, batch: string) => keys.cancelled(batch),
  // A mark that cannot be read is still a mark: nothing more is sent until a retry.
  () => ({ schema: 1, atMs: Number.MAX_SAFE_INTEGER }),
);

export function markCancelled(home: HomePlace, batch: string, atMs: number): Promise<void> {
  return cancelled.write(home, { schema: 1, atMs }, batch);
}

export function clearCancelled(home: HomePlace, batch: string): Promise<void> {
  return cancelled.remove(home, batch);
}

export async function isCancelledBatch(home: HomePlace, batch: string): Promise<boolean> {
  return (await cancelled.read(home, batch)) !== undefined;
}

/** Whether the batch was cancelled at or after an instant, epoch ms. */
export async function wasCancelled(home: HomePlace, batch: string, sinceMs: number): Promise<boolean> {
  const mark = await cancelled.read(home, batch);
  return mark !== undefined && mark.atMs >= sinceMs;
}

export const stopped = document(
  z.object({ schema: z.literal(1), reason: z.enum(['budget_reached', 'too_many_failures']), atMs: timeSchema }),
  (keys, batch: string) => keys.stopped(batch),
);

export function markStopped(home: HomePlace, batch: string, reason: StopReason, atMs: number): Promise<void> {
  return stopped.write(home, { schema: 1, reason, atMs }, batch);
}

export function clearStopped(home: HomePlace, batch: string): Promise<void> {
  return stopped.remove(home, batch);
}

/** Why a batch stopped by itself when it last ran, or undefined. */
export async function stoppedReason(home: HomePlace, batch: string): Promise<StopReason | undefined> {
  return (await stopped.read(home, batch))?.reason;
}

/** Records of a batch that does not run were changed: whoever tells of it next writes its result files. */
export const resultsDue = document(
  z.object({ schema: z.literal(1), atMs: timeSchema }),
  (keys, batch: string) => keys.resultsDue(batch),
  () => ({ schema: 1, atMs: 0 }),
);

/** When a batch was paused by its user, for whoever looks back, null while it lasts; nothing is decided by it. */
const pauseSchema = z.object({ fromMs: timeSchema, toMs: timeSchema.nullable() });
export type Pause = z.output<typeof pauseSchema>;

export const pauses = document(
  z.object({ schema: z.literal(1), pauses: z.array(pauseSchema) }),
  (keys, batch: string) => keys.pauses(batch),
);

/** The latest of them are kept. */
const KEPT = 200;

/** Oldest first. */
export async function readPauses(home: HomePlace, batch: string): Promise<Pause[]> {
  return (await pauses.read(home, batch))?.pauses ?? [];
}

/** How long it stood paused between two instants. */
export async function pausedMs(home: HomePlace, batch: string, fromMs: number, toMs: number): Promise<number> {
  const within = (one: Pause) => Math.min(one.toMs ?? toMs, toMs) - Math.max(one.fromMs, fromMs);
  return (await readPauses(home, batch)).reduce((sum, one) => sum + Math.max(0, within(one)), 0);
}

/** Notes that a pause begins or ends; the same twice is noted once. */
export async function notePause(home: HomePlace, batch: string, isPaused: boolean, atMs: number): Promise<void> {
  const noted = (now: { pauses: Pause[] } | undefined) => {
    const before = now?.pauses ?? [];
    const last = before.at(-1);
    const isOpen = last !== undefined && last.toMs === null;
    if (isOpen === isPaused) return undefined;
    const next = isOpen
      ? [...before.slice(0, -1), { fromMs: last.fromMs, toMs: Math.max(last.fromMs, atMs) }]
      : [...before, { fromMs: atMs, toMs: null }];
    return { schema: 1 as const, pauses: next.slice(-KEPT) };
  };
  await pauses.change(home, noted, batch);
}

/**
 * A batch of which a sample is run first: until a person approves the rest, nothing but the sample's rows is submitted.
 * It stands in the home, where whatever opens a row or sends a request looks it up: a message cannot get around it.
 */
const sampleGateSchema = z.object({
  schema: z.literal(1),
  /** The rows that may run. */
  ids: z.array(z.string()),
  atMs: timeSchema,
  /** The manifest that was approved, with what the rest may cost; absent until then. Another manifest asks again. */
  approved: z.exactOptional(
    z.object({ generation: z.string(), maxCreditsNano: nanoSchema.nullable(), atMs: timeSchema }),
  ),
  /** What was told of the rest when the sample had ended. */
  quote: z.exactOptional(sampleQuoteSchema),
});
export type SampleGate = Omit<z.output<typeof sampleGateSchema>, 'schema'>;

export const sampleGate = document(
  sampleGateSchema,
  (keys, batch: string) => keys.sample(batch),
  (): z.output<typeof sampleGateSchema> => ({ schema: 1, ids: [], atMs: 0 }),
);

export function writeSampleGate(home: HomePlace, batch: string, gate: SampleGate): Promise<void> {
  return sampleGate.write(home, { schema: 1, ...gate }, batch);
}

/** Undefined for a batch that was never run by a sample. One that cannot be read lets nothing through. */
export function readSampleGate(home: HomePlace, batch: string): Promise<SampleGate | undefined> {
  return sampleGate.read(home, batch);
}

/** Of a batch that was begun with a sample: its rest waits for a person, or was approved for this manifest. */
export type SampleState = 'waiting' | 'approved';

export async function sampleState(home: HomePlace, batch: string, generation: string): Promise<SampleState | null> {
  const gate = await readSampleGate(home, batch);
  return gate === undefined ? null : stateOf(gate, generation);
}

function stateOf({ approved }: SampleGate, generation: string): SampleState {
  return approved?.generation === generation ? 'approved' : 'waiting';
}

/** The gate of a rest that nobody has approved for this manifest; undefined where nothing waits. */
async function waitingGate(home: HomePlace, batch: string, generation: string): Promise<SampleGate | undefined> {
  const gate = await readSampleGate(home, batch);
  return gate !== undefined && stateOf(gate, generation) === 'waiting' ? gate : undefined;
}

/**
 * The gate that `approve` opens: nobody has for this manifest, or what was approved is used up. Of a cancelled batch
 * nothing waits until a retry takes that back.
 */
export async function gateToApprove(
  home: HomePlace,
  batch: string,
  generation: string,
): Promise<SampleGate | undefined> {
  const gate = await readSampleGate(home, batch);
  if (gate === undefined || (await isCancelledBatch(home, batch))) return undefined;
  if (stateOf(gate, generation) === 'waiting') return gate;
  return (await stoppedReason(home, batch)) === 'budget_reached' ? gate : undefined;
}

/** What was told of a rest that waits; undefined where nothing waits, and of another manifest. */
export async function quoteInForce(
  home: HomePlace,
  batch: string,
  generation: string,
): Promise<SampleQuote | undefined> {
  const quote = (await waitingGate(home, batch, generation))?.quote;
  return quote?.generation === generation ? quote : undefined;
}

/** The rows that may run while the rest of this manifest waits for its approval; undefined where all may. */
export async function sampleInForce(
  home: HomePlace,
  batch: string,
  generation: string,
): Promise<ReadonlySet<string> | undefined> {
  const gate = await waitingGate(home, batch, generation);
  return gate && new Set(gate.ids);
}
