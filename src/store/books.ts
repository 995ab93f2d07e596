import { z } from 'zod';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { encodeAs, readJson } from './json-file.js';

/** How the account's balance moved while a batch ran; written when the batch ends, replaced by its next end. */
export interface BatchBooks {
  schema: 1;
  fromMs: number;
  toMs: number;
  startNano: number;
  endNano: number;
  /** Purchases that were recognised. */
  topUpNano: number;
  /** Spent by nobody known here; both 0 when the books balance, null where a price is not known. */
  unattributed: { lo: number; hi: number } | null;
}

const schema: z.ZodType<BatchBooks> = z.object({
  schema: z.literal(1),
  fromMs: timeSchema,
  toMs: timeSchema,
  startNano: nanoSchema,
  endNano: nanoSchema,
  topUpNano: nanoSchema,
  unattributed: z.object({ lo: nanoSchema, hi: nanoSchema }).nullable(),
});

export async function writeBooks({ store, keys }: Home, batch: string, books: BatchBooks): Promise<void> {
  await store.put(keys.books(batch), encodeAs(schema, books));
}

/** The books of a batch's last end, if it ended. */
export async function readBooks({ store, keys }: Home, batch: string): Promise<BatchBooks | undefined> {
  return readJson(store, keys.books(batch), schema);
}
