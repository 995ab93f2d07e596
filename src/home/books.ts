import { z } from 'zod';
import { encodeAs, forgotten, readJson } from '../store/json-file.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

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
