import { z } from 'zod';
import { type Breaker, providerOf } from '../domain/kind.js';
import { KINDS } from '../kinds/facts.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/**
 * What was ordered for the whole account while it runs. It stands before the settings of whoever serves the account,
 * until it is taken back; null = as the settings say. Nothing goes above the plan.
 */
export interface AccountLimits {
  concurrency: number | null;
  /** Requests per minute. */
  rpm: number | null;
}

export const accountLimitsSchema = z.object({
  schema: z.literal(1),
  concurrency: z.int().min(1).nullable(),
  rpm: z.int().min(1).nullable(),
});

const NONE: AccountLimits = { concurrency: null, rpm: null };

export async function readAccountLimits({ store, keys }: Home): Promise<AccountLimits> {
  const { concurrency, rpm } = (await readJson(store, keys.limits, accountLimitsSchema, forgotten)) ?? NONE;
  return { concurrency, rpm };
}

export async function writeAccountLimits({ store, keys }: Home, limits: AccountLimits): Promise<void> {
  await store.put(keys.limits, encodeJson({ schema: 1, ...limits }));
}

/** The families whose submits go wrong, kept in the home: a wiped server must not start a storm anew. */

export const breakersSchema = z.object({
  schema: z.literal(1),
  breakers: z.array(
    z.object({
      family: z.enum(KINDS.map(providerOf)),
      cause: z.enum(['cases', 'outage']),
      sinceMs: timeSchema,
      failures: z.int(),
      nextProbeMs: timeSchema,
    }),
  ),
});

export async function writeBreakers(home: Home, breakers: Breaker[]): Promise<void> {
  await home.store.put(breakersKey(home), encodeJson({ schema: 1, breakers }));
}

export async function readBreakers(home: Home): Promise<Breaker[]> {
  const known = (await readJson(home.store, breakersKey(home), breakersSchema, forgotten))?.breakers ?? [];
  // An earlier callsheet kept families that could not be reached here: that is found out again by a try.
  return known.filter(({ cause }) => cause === 'cases');
}

function breakersKey(home: Home): string {
  return home.keys.account.replace(/account\.json$/, 'breakers.json');
}
