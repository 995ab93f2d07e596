import { z } from 'zod';
import type { BatchLimits } from '../domain/limits.js';
import type { CreditsNano } from '../domain/money.js';
import type { Home } from './home.js';
import { encodeJson, forgotten, readJson } from './json-file.js';

/**
 * What a batch may cost and what becomes of its lost answers, as the command that ran it last said: whoever goes on with
 * it unattended, after a reboot, holds to the same.
 */
export interface BatchTerms {
  limits: BatchLimits;
  policy: { ambiguity: 'hold' | 'if-proved' | 'always'; retries: number; wasteMaxNano: CreditsNano };
}

const termsSchema = z.object({
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
});

export async function writeBatchTerms(home: Home, batch: string, { limits, policy }: BatchTerms): Promise<void> {
  await home.store.put(termsKey(home, batch), encodeJson({ schema: 1, limits, policy }));
}

/** Undefined for a batch that an older build ran. */
export async function readBatchTerms(home: Home, batch: string): Promise<BatchTerms | undefined> {
  return readJson(home.store, termsKey(home, batch), termsSchema, forgotten);
}

function termsKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'terms.json');
}
