import { z } from 'zod';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import { measuredPriceSchema } from './learned.js';

/** What a sample showed, and what the rest of its manifest would cost and take; it is kept with the gate. */
export const sampleQuoteSchema = z.object({
  generation: z.string(),
  atMs: timeSchema,
  /** Rows of the sample that have ended, and how many of them brought no output. */
  sample: z.object({ ended: z.int(), failed: z.int() }),
  /** As `callsheet prices` knows them, of the kinds of the rest. */
  measured: z.array(measuredPriceSchema),
  /** Rows that would be submitted. */
  rows: z.int(),
  /** What they cost; null = a price is not known. */
  lowNano: nanoSchema.nullable(),
  highNano: nanoSchema.nullable(),
  /** How long they take; null = how long a kind takes is not known, or the account's caps are not. */
  lowMs: z.number().nullable(),
  highMs: z.number().nullable(),
});
export type SampleQuote = z.output<typeof sampleQuoteSchema>;
