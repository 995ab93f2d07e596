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

const stopReasonSchema = z.enum(['budget_reached', 'too_many_failures']);

export const stopped = document(
  z.object({
    schema: z.literal(1),
    /** Why it stopped; absent once it was let go on. */
    reason: z.exactOptional(stopReasonSchema),
    /** Why it had stopped before that: jobs that were asked to end for it may end later. */
    was: z.exactOptional(stopReasonSchema),
    /** How often its user let it go on. */
    lifted: z.exactOptional(z.int()),
    atMs: timeSchema,
  }),
  (keys, batch: string) => keys.stopped(batch),
);

/**
 * Marks a batch that stopped by itself, unless its user has let it go on meanwhile: `under` is how often that had been
 * when it stopped, as far as it knew; absent = as often as by now. Where the stop does not stand it gives how often it is
 * by now.
 */
export async function markStopped(
  home: HomePlace,
  batch: string,
  reason: StopReason,
  { atMs, under }: { atMs: number; under?: number | undefined },
): Promise<number | undefined> {
  const marked = await stopped.change(
    home,
    ({ lifted = 0 } = { schema: 1, atMs }) => {
      const isLifted = under !== undefined && under < lifted;
      return { schema: 1, ...(isLifted ? { was: reason } : { reason }), lifted, atMs };
    },
    batch,
  );
  return marked?.reason === undefined ? marked?.lifted : undefined;
}

/**
 * Lets a batch go on: also where a stop that it decided before it hears of this is marked afterwards. Gives how often it
 * was by now.
 */
export async function clearStopped(home: HomePlace, batch: string): Promise<number> {
  const marked = await stopped.change(
    home,
    (now = { schema: 1, atMs: 0 }) => {
      const was = now.reason ?? now.was;
      return { schema: 1, ...(was && { was }), lifted: (now.lifted ?? 0) + 1, atMs: now.atMs };
    },
    batch,
  );
  return marked?.lifted ?? 0;
}

/** A cancel came since the batch was let go on: jobs that end late end for that. */
export async function forgetLifted(home: HomePlace, batch: string): Promise<void> {
  await stopped.change(home, (now) => now?.was && { schema: 1, lifted: now.lifted ?? 0, atMs: now.atMs }, batch);
}

/** How often the batch's user let it go on. */
export async function liftedStops(home: HomePlace, batch: string): Promise<number> {
  return (await stopped.read(home, batch))?.lifted ?? 0;
}

/** Why a batch stopped by itself when it last ran, or undefined. */
export async function stoppedReason(home: HomePlace, batch: string): Promise<StopReason | undefined> {
  return (await stopped.read(home, batch))?.reason;
}

/** Why a batch asked its jobs to end that were not cancelled, also where it goes on since. */
export async function stoppedLast(home: HomePlace, batch: string): Promise<StopReason | undefined> {
  const mark = await stopped.read(home, batch);
  return mark?.reason ?? mark?.was;
}

/** Records of a batch that does not run were changed: whoever tells of it next writes its result files. */
export const resultsDue = document(
  z.object({ schema: z.literal(1), atMs: timeSchema }),
  (keys, batch: string) => keys.resultsDue(batch),
  () => ({ schema: 1, atMs: 0 }),
);

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
