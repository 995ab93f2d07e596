import { z } from 'zod';
import type { Kind } from '../domain/kind.js';
import type { MeasuredPrice } from '../domain/price.js';
import { encodeAs, forgotten, readJson } from '../store/json-file.js';
import { jsonSchema, kindSchema, nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/** What single charges taught about an account: kept in its home, replaced whole, never needed to be right. */

export interface Learned {
  schema: 1;
  /** The latest that the balance was seen to show a charge, unscaled ms, and when that was seen. */
  latenessMs: number;
  latenessAtMs: number;
  /** How late after its end a failed attempt's charge was still there, unscaled ms. */
  refundMs?: number;
  /** The most decimals that a balance showed. */
  decimals?: number;
  /** Of an earlier callsheet, which took one charge for a proof: read and not believed. */
  chargedAtSubmit: { kind: Kind; atMs: number }[];
  timings?: LearnedTiming[];
}

/** When a model was seen to charge, and in which attempts; one contradiction revokes it for good. */
export interface LearnedTiming {
  kind: Kind;
  model: string;
  timing: 'at-submit' | 'at-completion';
  attempts: string[];
  revoked: boolean;
}

const NOTHING: Learned = { schema: 1, latenessMs: 0, latenessAtMs: 0, chargedAtSubmit: [] };

/** As late as a balance was ever seen: too early a verdict would pay twice. */
const UNREADABLE: Learned = { ...NOTHING, latenessMs: 600_000 };

export const learnedSchema: z.ZodType<Learned> = z.object({
  schema: z.literal(1),
  latenessMs: z.number().nonnegative(),
  latenessAtMs: timeSchema,
  refundMs: z.exactOptional(z.number().nonnegative()),
  decimals: z.exactOptional(z.int()),
  chargedAtSubmit: z.array(z.object({ kind: kindSchema, atMs: timeSchema })),
  timings: z.exactOptional(
    z.array(
      z.object({
        kind: kindSchema,
        model: z.string(),
        timing: z.enum(['at-submit', 'at-completion']),
        attempts: z.array(z.string()),
        revoked: z.boolean(),
      }),
    ),
  ),
});

export const pricesSchema: z.ZodType<{ schema: 1; prices: MeasuredPrice[] }> = z.object({
  schema: z.literal(1),
  prices: z.array(
    z.object({
      kind: kindSchema,
      cells: z.record(z.string(), jsonSchema),
      paidNano: nanoSchema,
      withinNano: z.exactOptional(nanoSchema),
      multiplierPpb: z.int(),
      firstAtMs: timeSchema,
      lastAtMs: timeSchema,
      times: z.int(),
      exclusive: z.boolean(),
    }),
  ),
});

export async function readLearned({ store, keys }: Home): Promise<Learned> {
  return (await readJson(store, keys.learned, learnedSchema, () => UNREADABLE)) ?? NOTHING;
}

export async function writeLearned({ store, keys }: Home, learned: Learned): Promise<void> {
  await store.put(keys.learned, encodeAs(learnedSchema, learned));
}

export async function readMeasuredPrices({ store, keys }: Home): Promise<MeasuredPrice[]> {
  return (await readJson(store, keys.prices, pricesSchema, forgotten))?.prices ?? [];
}

export async function writeMeasuredPrices({ store, keys }: Home, prices: MeasuredPrice[]): Promise<void> {
  await store.put(keys.prices, encodeAs(pricesSchema, { schema: 1, prices }));
}
