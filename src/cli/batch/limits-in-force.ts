import { DEFAULT_SLOT_TERMS, type SlotTerms } from '../../domain/batch.js';
import { type AccountLimits, readAccountLimits } from '../../home/account-limits.js';
import { readBatchOrder } from '../../home/batch-order.js';
import type { HomeAccess } from '../access/home-access.js';
import type { Session } from '../session.js';

/** What the account and a batch may use of the plan, and what of it holds; null where nothing limits it. */

interface LimitsOfAccount {
  plan: AccountLimits;
  configured: AccountLimits;
  ordered: AccountLimits;
  /** What a batch was run with and holds for all of them. */
  ofBatch: NonNullable<AccountLimits['ofBatch']> | null;
  inForce: Record<'concurrency' | 'rpm', number | null>;
}

export async function accountLimits({ config }: Session, { home }: HomeAccess): Promise<LimitsOfAccount> {
  const [reading, { ofBatch = null, ...ordered }] = await Promise.all([
    home.latestCheckpoint(),
    readAccountLimits(home),
  ]);
  const configured = { concurrency: config.limits.accountConcurrency, rpm: config.limits.accountRpm };
  const plan: AccountLimits = { concurrency: reading?.concurrent ?? null, rpm: reading?.rpm ?? null };
  const inForce = {
    concurrency: lowest(plan.concurrency, ordered.concurrency ?? configured.concurrency),
    rpm: lowest(lowest(plan.rpm, ordered.rpm ?? configured.rpm), ofBatch?.rpm ?? null),
  };
  return { plan, configured, ordered, ofBatch, inForce };
}

/** `orderedConcurrency`: what was ordered, where that is above the plan. */
export async function batchLimits(
  { home }: HomeAccess,
  batch: string,
): Promise<SlotTerms & { orderedConcurrency?: number }> {
  const slots = (await readBatchOrder(home, batch))?.slots ?? DEFAULT_SLOT_TERMS;
  const { concurrency } = slots;
  if (concurrency === null) return slots;
  const held = lowest(concurrency, (await home.latestCheckpoint())?.concurrent ?? null);
  return { ...slots, concurrency: held, ...(held === concurrency ? {} : { orderedConcurrency: concurrency }) };
}

function lowest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
