import { z } from 'zod';
import type { MeasuredPrice } from '../domain/price.js';
import { jsonSchema, kindSchema, nanoSchema, timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { HomePlace } from './home-keys.js';

/** What single charges taught about an account: kept in its home, replaced whole, never needed to be right. */

/** When a model was seen to charge, and in which attempts; one contradiction revokes it for good. */
const timingSchema = z.object({
  kind: kindSchema,
  model: z.string(),
  timing: z.enum(['at-submit', 'at-completion']),
  attempts: z.array(z.string()),
  revoked: z.boolean(),
});
export type LearnedTiming = z.output<typeof timingSchema>;

const learnedSchema = z.object({
  schema: z.literal(1),
  /** The latest that the balance was seen to show a charge, unscaled ms, and when that was seen. */
  latenessMs: z.number().nonnegative(),
  latenessAtMs: timeSchema,
  /** How late after its end a failed attempt's charge was still there, unscaled ms. */
  refundMs: z.exactOptional(z.number().nonnegative()),
  /** The most decimals that a balance showed. */
  decimals: z.exactOptional(z.int()),
  /** Of an earlier callsheet, which took one charge for a proof: read and not believed. */
  chargedAtSubmit: z.array(z.object({ kind: kindSchema, atMs: timeSchema })),
  timings: z.exactOptional(z.array(timingSchema)),
});
export type LearnedFacts = z.output<typeof learnedSchema>;

const NOTHING: LearnedFacts = { schema: 1, latenessMs: 0, latenessAtMs: 0, chargedAtSubmit: [] };
/** As late as a balance was ever seen: too early a verdict would pay twice. */
const UNREADABLE: LearnedFacts = { ...NOTHING, latenessMs: 600_000 };

export const learnedFacts = document(
  learnedSchema,
  (keys) => keys.learned,
  () => UNREADABLE,
);

export async function readLearned(home: HomePlace): Promise<LearnedFacts> {
  return (await learnedFacts.read(home)) ?? NOTHING;
}

export const measuredPriceSchema: z.ZodType<MeasuredPrice> = z.object({
  kind: kindSchema,
  cells: z.record(z.string(), jsonSchema),
  paidNano: nanoSchema,
  withinNano: z.exactOptional(nanoSchema),
  multiplierPpb: z.int(),
  firstAtMs: timeSchema,
  lastAtMs: timeSchema,
  times: z.int(),
  exclusive: z.boolean(),
});

export const measuredPrices = document(
  z.object({ schema: z.literal(1), prices: z.array(measuredPriceSchema) }),
  (keys) => keys.prices,
);

export async function readMeasuredPrices(home: HomePlace): Promise<MeasuredPrice[]> {
  return (await measuredPrices.read(home))?.prices ?? [];
}

const discountRowSchema = z.object({
  entrypoint: z.string(),
  multiplierPpb: z.int(),
  effectiveFromMs: z.number(),
  effectiveToMs: z.number().nullable(),
});

/** The answers to the question for discounts, each with when it was first given and when the last of them was asked for. */
export const discountAnswers = document(
  z.array(z.object({ firstMs: z.number(), lastMs: z.number(), rows: z.array(discountRowSchema) })),
  (keys) => keys.discounts,
);
export type DiscountAnswer = NonNullable<Awaited<ReturnType<typeof discountAnswers.read>>>[number];

/** How the account's balance moved while a batch ran; written when the batch ends, replaced by its next end. */
const booksSchema = z.object({
  schema: z.literal(1),
  fromMs: timeSchema,
  toMs: timeSchema,
  startNano: nanoSchema,
  endNano: nanoSchema,
  /** Purchases that were recognised. */
  topUpNano: nanoSchema,
  /** The balance when the batch was run first, and what was bought until this run; absent in those of an earlier callsheet. */
  beganNano: z.exactOptional(nanoSchema),
  boughtBeforeNano: z.exactOptional(nanoSchema),
  /** Spent by nobody known here; both 0 when the books balance, null where a price is not known. */
  unattributed: z.object({ lo: nanoSchema, hi: nanoSchema }).nullable(),
});
export type BatchBooks = z.output<typeof booksSchema>;

export const batchBooks = document(booksSchema, (keys, batch: string) => keys.books(batch));

/** The books of a batch's last end, if it ended. */
export function readBooks(home: HomePlace, batch: string): Promise<BatchBooks | undefined> {
  return batchBooks.read(home, batch);
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
