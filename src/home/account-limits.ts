import { z } from 'zod';
import { defined } from '../domain/defined.js';
import { type Breaker, providerOf } from '../domain/kind.js';
import { KINDS } from '../kinds/facts.js';
import { timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { HomePlace } from './home-keys.js';

/**
 * What was ordered for the whole account while it runs. It stands before the settings of whoever serves the account,
 * until it is taken back; null = as the settings say. Nothing goes above the plan.
 */
const limitsSchema = z.object({
  schema: z.literal(1),
  concurrency: z.int().min(1).nullable(),
  /** Requests per minute. */
  rpm: z.int().min(1).nullable(),
  /** What a batch was run with: it bounds the account's requests until that batch ends. */
  ofBatch: z.exactOptional(z.object({ batch: z.string(), rpm: z.int().min(1) })),
});
export type AccountLimits = Omit<z.output<typeof limitsSchema>, 'schema'>;

export const accountLimits = document(limitsSchema, (keys) => keys.limits);

const NONE: AccountLimits = { concurrency: null, rpm: null };

export async function readAccountLimits(home: HomePlace): Promise<AccountLimits> {
  return withoutSchema(await accountLimits.read(home));
}

/** Changes them as they stand: a batch that ends and an order of its user come at the same time. Undefined = as they are. */
export async function changeAccountLimits(
  home: HomePlace,
  next: (now: AccountLimits) => AccountLimits | undefined,
): Promise<AccountLimits | undefined> {
  const changed = await accountLimits.change(home, (now) => {
    const limits = next(withoutSchema(now));
    return limits && { schema: 1, ...limits };
  });
  return changed && withoutSchema(changed);
}

function withoutSchema({ concurrency, rpm, ofBatch }: AccountLimits = NONE): AccountLimits {
  return { concurrency, rpm, ...defined({ ofBatch }) };
}

/** The families whose submits go wrong, kept in the home: a wiped server must not start a storm anew. */
export const openBreakers = document(
  z.object({
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
  }),
  (keys) => keys.breakers,
);

export function writeBreakers(home: HomePlace, breakers: Breaker[]): Promise<void> {
  return openBreakers.write(home, { schema: 1, breakers });
}

export async function readBreakers(home: HomePlace): Promise<Breaker[]> {
  const known = (await openBreakers.read(home))?.breakers ?? [];
  // An earlier callsheet kept families that could not be reached here: that is found out again by a try.
  return known.filter(({ cause }) => cause === 'cases');
}
