import { z } from 'zod';
import { type BatchLimits, type BatchOptions, PRIORITY_MAX, type SlotTerms, WEIGHT_MAX } from '../domain/batch.js';
import type { CreditsNano } from '../domain/money.js';
import { PRICE_UNITS, type PriceRule } from '../domain/price.js';
import { StoreError } from '../store/port.js';
import { kindSchema, timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { Home } from './home.js';
import type { HomePlace } from './home-keys.js';
import type { Change } from './in-turn.js';
import { notePause } from './pauses.js';

/**
 * What its user ordered of a batch. It stands in the home, where nobody else can write: a message of Temporal, which
 * anybody on the machine can send, only says that there is something to do. Whoever goes on with the batch unattended,
 * after a reboot, holds to it too.
 */
export interface BatchOrder {
  /** What the batch may cost. */
  limits: BatchLimits;
  /** What becomes of its lost answers. */
  policy: { ambiguity: 'hold' | 'if-proved' | 'always'; retries: number; wasteMaxNano: CreditsNano };
  /** The budget was lowered while it ran: rows that had reserved of a higher one may not fit any more. */
  isBudgetLowered?: boolean;
  /** Which rows that had ended are run again. An older build has not written it down: the message counts then. */
  retry?: z.output<typeof retrySchema> | null;
  /** The generation of rows that `retry` is meant for. */
  generation?: string;
  /** Nothing new is submitted until it is resumed. */
  isPaused?: boolean;
  /** No person paused it, but a home that is not the one that its outputs tell of. */
  isHeldForHome?: true;
  /** Rows in the manifest's order; absent = chains are carried through before new ones begin. */
  isBreadthFirst?: boolean;
  /** The price rules that it was run with; absent = none were given, and its worker's own count. */
  prices?: readonly PriceRule[];
  /** Marks of the targets that its notices go to (`markOf`); absent = all that its worker's settings name. */
  notify?: readonly string[];
  /** Its part of the account's slots; absent = the default. */
  slots?: SlotTerms;
  /** What was ordered cannot be read; never written. */
  isDamaged?: true;
}

/** The worst that an order which cannot be read may have said: nothing is sent until `run` orders the batch anew. */
const DAMAGED = {
  schema: 1,
  limits: { maxCreditsNano: 0, maxFailures: null },
  policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
  isBudgetLowered: true,
  retry: null,
  isPaused: true,
  isDamaged: true,
} as const;

const oneRetry = z.object({ id: z.exactOptional(z.string()), beforeMs: timeSchema, classes: z.array(z.string()) });
const retrySchema = oneRetry.extend({ also: z.exactOptional(z.array(oneRetry)) });

const priceRuleSchema: z.ZodType<PriceRule> = z.object({
  kind: kindSchema.exactOptional(),
  model: z.string().exactOptional(),
  tier: z.string().exactOptional(),
  steps: z.number().exactOptional(),
  resolution: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  audio: z.boolean().exactOptional(),
  sound: z.string().exactOptional(),
  components: z.array(
    z.object({
      unit: z.enum(PRICE_UNITS),
      credits: z.string(),
      above: z.number().exactOptional(),
      upTo: z.number().exactOptional(),
      atLeast: z.number().exactOptional(),
    }),
  ),
});

const orderSchema = z.object({
  schema: z.literal(1),
  limits: z.object({
    maxCreditsNano: z.int().nullable(),
    maxFailures: z.union([z.object({ rows: z.int() }), z.object({ percent: z.int() })]).nullable(),
  }),
  policy: z.object({
    ambiguity: z.enum(['hold', 'if-proved', 'always']),
    retries: z.int(),
    wasteMaxNano: z.int(),
  }),
  isBudgetLowered: z.exactOptional(z.boolean()),
  retry: z.exactOptional(retrySchema.nullable()),
  generation: z.exactOptional(z.string()),
  isPaused: z.exactOptional(z.boolean()),
  isHeldForHome: z.exactOptional(z.literal(true)),
  isBreadthFirst: z.exactOptional(z.boolean()),
  prices: z.exactOptional(z.array(priceRuleSchema)),
  notify: z.exactOptional(z.array(z.string())),
  slots: z.exactOptional(
    z.object({
      concurrency: z.int().min(1).nullable(),
      weight: z.int().min(1).max(WEIGHT_MAX),
      priority: z.int().min(-PRIORITY_MAX).max(PRIORITY_MAX),
    }),
  ),
});

export const batchOrder = document<BatchOrder & { schema: 1 }, [string]>(
  orderSchema,
  (keys, batch) => keys.order(batch),
  () => DAMAGED,
);

export function writeBatchOrder(home: HomePlace, batch: string, order: BatchOrder): Promise<void> {
  return batchOrder.write(home, whole(order), batch);
}

/** Changes the order as it stands: of two at once, each changes what it means. Gives the order where it is another one. */
export function changeBatchOrder(
  home: HomePlace,
  batch: string,
  next: Change<BatchOrder>['next'],
): Promise<BatchOrder | undefined> {
  const changed = async (now: BatchOrder | undefined) => {
    const order = await next(now);
    return order && whole(order);
  };
  return batchOrder.change(home, changed, batch);
}

function whole({ isDamaged: _, ...order }: BatchOrder): BatchOrder & { schema: 1 } {
  return { ...order, schema: 1 };
}

/** Undefined for a batch that an older build ran. */
export function readBatchOrder(home: HomePlace, batch: string): Promise<BatchOrder | undefined> {
  return batchOrder.read(home, batch);
}

/**
 * Pauses a batch, or lets it go on; one that an older build ran has no order to change, and one that cannot be read stays
 * as it is. Gives whether the order is
 * another one now.
 */
export async function orderPause(
  home: HomePlace,
  batch: string,
  isPaused: boolean,
  why?: { isHeldForHome: true },
): Promise<boolean> {
  const changed = await changeBatchOrder(home, batch, (order) => {
    if (order === undefined || order.isDamaged || (order.isPaused ?? false) === isPaused) return undefined;
    const { isHeldForHome: _, ...rest } = order;
    return { ...rest, isPaused, ...why };
  });
  await notePause(home, batch, isPaused, Date.now());
  return changed !== undefined;
}

/** What `run` fixed for a batch, kept beside its rows, so that no path or place is in Temporal. */

const optionsSchema: z.ZodType<BatchOptions> = z.object({
  schema: z.literal(1),
  out: z.string(),
  onExists: z.enum(['fail', 'skip', 'version']),
  sidecar: z.exactOptional(z.boolean()),
  responseFormat: z.enum(['url', 'b64_json']),
  manifestFolder: z.string(),
  manifest: z.exactOptional(z.string()),
  format: z.exactOptional(z.enum(['csv', 'jsonl'])),
  delimiter: z.exactOptional(z.string()),
  kind: z.exactOptional(kindSchema),
  maxOutputBytes: z.number(),
});

/** What a batch goes on with where its options cannot be read: the next `run` writes them anew. */
const LOST = {
  schema: 1,
  onExists: 'fail',
  responseFormat: 'url',
  manifestFolder: '/',
  maxOutputBytes: 4 * 1024 ** 3,
} as const;

export const batchOptions = document(optionsSchema, (keys, batch: string) => keys.options(batch));

/** Writes or replaces a batch's options. */
export function writeBatchOptions(home: HomePlace, batch: string, options: BatchOptions): Promise<void> {
  return batchOptions.write(home, options, batch);
}

/** A batch's options; a StoreError `ENOENT` when it was never run from this home. */
export async function readBatchOptions(home: Home, batch: string): Promise<BatchOptions> {
  const options = await batchOptions.read(home, batch);
  if (options) return options;
  const key = home.keys.options(batch);
  const isDamaged = (await home.store.size(key)) !== undefined;
  const out = isDamaged ? (await home.readBatch(batch))?.out : undefined;
  if (out !== undefined) return { ...LOST, out };
  throw new StoreError('ENOENT', `batch '${batch}' was never run from ${home.store.location}`, key);
}
