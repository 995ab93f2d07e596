import { z } from 'zod';
import type { Kind } from '../domain/kind.js';
import type { MeasuredPrice } from '../domain/price.js';
import { encodeAs, encodeJson, forgotten, readJson } from '../store/json-file.js';
import { jsonSchema, kindSchema, nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/** What single charges taught about an account: kept in its home, replaced whole, never needed to be right. */

export interface LearnedFacts {
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

const NOTHING: LearnedFacts = { schema: 1, latenessMs: 0, latenessAtMs: 0, chargedAtSubmit: [] };

/** As late as a balance was ever seen: too early a verdict would pay twice. */
const UNREADABLE: LearnedFacts = { ...NOTHING, latenessMs: 600_000 };

export const learnedSchema: z.ZodType<LearnedFacts> = z.object({
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

export async function readLearned({ store, keys }: Home): Promise<LearnedFacts> {
  return (await readJson(store, keys.learned, learnedSchema, () => UNREADABLE)) ?? NOTHING;
}

export async function writeLearned({ store, keys }: Home, learned: LearnedFacts): Promise<void> {
  await store.put(keys.learned, encodeAs(learnedSchema, learned));
}

export async function readMeasuredPrices({ store, keys }: Home): Promise<MeasuredPrice[]> {
  return (await readJson(store, keys.prices, pricesSchema, forgotten))?.prices ?? [];
}

export async function writeMeasuredPrices({ store, keys }: Home, prices: MeasuredPrice[]): Promise<void> {
  await store.put(keys.prices, encodeAs(pricesSchema, { schema: 1, prices }));
}

const discountAnswersSchema = z.array(
  z.object({
    firstMs: z.number(),
    lastMs: z.number(),
    rows: z.array(
      z.object({
        entrypoint: z.string(),
        multiplierPpb: z.int(),
        effectiveFromMs: z.number(),
        effectiveToMs: z.number().nullable(),
      }),
    ),
  }),
);
/** One answer to the question for discounts, and the times at which it was first and last given. */
export type DiscountAnswer = z.output<typeof discountAnswersSchema>[number];

export async function readDiscountAnswers({ store, keys }: Home): Promise<DiscountAnswer[]> {
  return (await readJson(store, keys.discounts, discountAnswersSchema, forgotten)) ?? [];
}

export async function writeDiscountAnswers({ store, keys }: Home, answers: DiscountAnswer[]): Promise<void> {
  await store.put(keys.discounts, encodeJson(answers));
}

/** How the account's balance moved while a batch ran; written when the batch ends, replaced by its next end. */
export interface BatchBooks {
  schema: 1;
  fromMs: number;
  toMs: number;
  startNano: number;
  endNano: number;
  /** Purchases that were recognised. */
  topUpNano: number;
  /** The balance when the batch was run first, and what was bought until this run; absent in those of an earlier callsheet. */
  beganNano?: number;
  boughtBeforeNano?: number;
  /** Spent by nobody known here; both 0 when the books balance, null where a price is not known. */
  unattributed: { lo: number; hi: number } | null;
}

export const booksSchema: z.ZodType<BatchBooks> = z.object({
  schema: z.literal(1),
  fromMs: timeSchema,
  toMs: timeSchema,
  startNano: nanoSchema,
  endNano: nanoSchema,
  topUpNano: nanoSchema,
  beganNano: z.exactOptional(nanoSchema),
  boughtBeforeNano: z.exactOptional(nanoSchema),
  unattributed: z.object({ lo: nanoSchema, hi: nanoSchema }).nullable(),
});

export async function writeBooks({ store, keys }: Home, batch: string, books: BatchBooks): Promise<void> {
  await store.put(keys.books(batch), encodeAs(booksSchema, books));
}

/** The books of a batch's last end, if it ended. */
export async function readBooks({ store, keys }: Home, batch: string): Promise<BatchBooks | undefined> {
  return readJson(store, keys.books(batch), booksSchema, forgotten);
}

/** What a batch's earlier runs say of its begin; the same run may be written twice. */
export function beginOf(
  earlier: BatchBooks | undefined,
  now: Pick<BatchBooks, 'fromMs' | 'startNano'>,
): Required<Pick<BatchBooks, 'beganNano' | 'boughtBeforeNano'>> {
  if (earlier === undefined) return { beganNano: now.startNano, boughtBeforeNano: 0 };
  const { beganNano = earlier.startNano, boughtBeforeNano = 0 } = earlier;
  if (earlier.fromMs >= now.fromMs) return { beganNano, boughtBeforeNano };
  // Between two runs only a purchase or a refund makes it rise.
  const roseNano = Math.max(0, now.startNano - earlier.endNano);
  return { beganNano, boughtBeforeNano: boughtBeforeNano + earlier.topUpNano + roseNano };
}

/** By how much the balance fell since the batch was run first, purchases added back. */
export function fellSinceBegin(books: BatchBooks): number {
  const { startNano, endNano, topUpNano, beganNano = startNano, boughtBeforeNano = 0 } = books;
  return beganNano + boughtBeforeNano + topUpNano - endNano;
}
