import { z } from 'zod';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
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
