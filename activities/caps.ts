import type { Caps } from '../src/contract/account-read.js';
import { readAccountLimits } from '../src/home/account-limits.js';
import type { Handed } from './dependencies.js';

/** What the account may have now: the plan's, or less where it was ordered or the settings say so. */
export async function capsInForce({ home, settings }: Handed, plan: Caps): Promise<Caps> {
  const ordered = await readAccountLimits(home);
  const { concurrency, rpm } = settings.limits;
  return {
    concurrent: Math.min(plan.concurrent, ordered.concurrency ?? concurrency ?? plan.concurrent),
    rpm: Math.min(plan.rpm, ordered.rpm ?? rpm ?? plan.rpm),
  };
}

/** By the newest reading of the plan that the home has, without a request; undefined where it was never read. */
export async function lastCaps(deps: Handed): Promise<Caps | undefined> {
  const plan = await deps.home.latestCheckpoint();
  if (plan === undefined || plan.concurrent === null || plan.rpm === null) return undefined;
  return capsInForce(deps, { concurrent: plan.concurrent, rpm: plan.rpm });
}
