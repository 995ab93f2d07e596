import type { Kind } from '../../domain/kind.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { HomePlace } from '../../home/home-keys.js';
import { notePlannedPrices, type PlannedPrices } from '../../home/planned-prices.js';
import { type CostTally, expectedNano } from '../plan/plan-tally.js';
import type { HomeTally } from './batch-tally.js';

/** What a batch is expected to cost in all, as far as it can be said: it is shown, and no budget goes by it. */

/** Keeps what a plan says of its kinds; what was planned of others before stays. */
export function notePlannedCosts(home: HomePlace, batch: string, byKind: ReadonlyMap<Kind, CostTally>): Promise<void> {
  return notePlannedPrices(home, batch, plannedPrices(byKind));
}

/** What the rows of each kind cost by a plan: those that share an identical one's output are counted with it. */
export function plannedPrices(byKind: ReadonlyMap<Kind, CostTally>): PlannedPrices {
  const priced = [...byKind].filter(([, { toSubmit, unknown }]) => toSubmit > 0 && unknown === 0);
  return Object.fromEntries(
    priced.map(([kind, cost]) => {
      const rows = cost.toSubmit + cost.shared;
      return [kind, { rows, nano: expectedNano(cost), isExact: cost.lowNano === cost.worstNano }];
    }),
  );
}

/** A guess is no more exact than this. */
const GUESSED_NANO = 1_000;

/**
 * What the open rows come to, by kind: as planned where the plan knew each price, else as those of the kind that are done,
 * else as the middle of what was planned. Undefined where nothing tells what a kind costs.
 */
export function restCost({ kinds }: Pick<HomeTally, 'kinds'>, planned: PlannedPrices): CreditsNano | undefined {
  let restNano = 0;
  for (const [kind, { open, paid, paidNano }] of kinds) {
    const plan = planned[kind];
    if (open === 0) continue;
    if (paid === 0 && plan === undefined) return undefined;
    const isPlanned = plan !== undefined && (plan.isExact || paid === 0);
    restNano += isPlanned ? (open * plan.nano) / plan.rows : (open * paidNano) / paid;
  }
  return Math.round(restNano / GUESSED_NANO) * GUESSED_NANO;
}

/** What all rows come to; null where that is not known. */
export function expectedCredits(
  { creditsNano, creditsUnknown }: HomeTally,
  restNano: CreditsNano | undefined,
): string | null {
  return restNano !== undefined && creditsUnknown === 0 ? formatCredits(creditsNano + restNano) : null;
}
