import { BALANCE_TOLERANCE_NANO, NANO_PER_CREDIT } from '../domain/money.js';
import type { CaseFacts, Checkpoint, SettleEvidence } from './evidence.js';
import { type Interval, meets, minus, plus, ZERO } from './interval.js';
import { hasRise, type Rise, residualBetween } from './residual.js';

/** More open cases than this are not told apart: their subsets are too many. */
export const CASES_MAX = 12;
/** More different sums than this say nothing that a person could follow. */
const SUMS_MAX = 20_000;
/** The smallest whole-credit purchase and the largest (service document 1, Limits). */
const TOP_UP_MIN = 5;
const TOP_UP_MAX = 5_000;
/** A price that is not known is at least this; the service's amounts are not finer than the tolerance. */
const UNKNOWN_PRICE_MIN_NANO = 2 * BALANCE_TOLERANCE_NANO;

/** Which explanations of one reading are consistent: with the subject's charge in it, and without. */
export interface Look {
  at: Checkpoint;
  shown: boolean;
  hidden: boolean;
  /** What is missing since the newest starting point. */
  residual: Interval;
}

/** What an attempt costs if it was billed. */
export function priceOf({ expected }: Pick<CaseFacts, 'expected'>): Interval {
  if (expected === null) return { lo: UNKNOWN_PRICE_MIN_NANO, hi: Number.POSITIVE_INFINITY };
  return { lo: Math.max(expected.lo, UNKNOWN_PRICE_MIN_NANO), hi: expected.hi ?? Number.POSITIVE_INFINITY };
}

/**
 * Tests every subset of the open cases against one reading, from every starting point: the subject's charge is shown
 * (or hidden) only if each starting point allows it with some subset of the others.
 */
export function lookAt(evidence: SettleEvidence, bases: Checkpoint[], rises: Rise[], at: Checkpoint): Look {
  const price = priceOf(evidence.subject);
  let shown = true;
  let hidden = true;
  let residual = ZERO;
  for (const base of bases) {
    residual = residualBetween(evidence, base, at);
    const others = sumsOf(evidence.rivals.map((rival) => optionsOf(rival, base, at)));
    // Too many to weigh: everything stays possible.
    if (others === undefined) continue;
    const fits = fitOf(residual, hasRise(rises, base, at));
    hidden &&= others.some(fits);
    shown &&= others.some((sum) => fits(plus(sum, price)));
  }
  return { at, shown, hidden, residual };
}

/**
 * Readings from before the subject's claim that the check can start from. The newest may lie in the middle of another
 * job's charge; an older one is as good where everything between the two is explained.
 */
export function usableBases(evidence: SettleEvidence): Checkpoint[] {
  const before = evidence.checkpoints.filter((c) => c.atMs <= evidence.subject.claimedAtMs);
  const newest = before.at(-1);
  if (!newest) return [];
  const isExplained = (base: Checkpoint): boolean => {
    const others = sumsOf(evidence.rivals.map((rival) => optionsOf(rival, base, newest)));
    return others === undefined || others.some(fitOf(residualBetween(evidence, base, newest), false));
  };
  return before.filter((base) => base === newest || isExplained(base));
}

/** What an open case may have taken between two readings: nothing, its price, or a refund of what it took before. */
function optionsOf(rival: CaseFacts, base: Checkpoint, at: Checkpoint): Interval[] {
  if (rival.claimedAtMs > at.atMs) return [ZERO];
  const price = priceOf(rival);
  return rival.claimedAtMs > base.atMs ? [ZERO, price] : [ZERO, price, minus(ZERO, price)];
}

/** Every sum of one option of each case, equal ones once; undefined when there are too many. */
function sumsOf(cases: Interval[][]): Interval[] | undefined {
  let sums = new Map([['0:0', ZERO]]);
  for (const options of cases) {
    const next = new Map<string, Interval>();
    for (const sum of sums.values()) {
      for (const option of options) {
        const added = plus(sum, option);
        next.set(`${added.lo}:${added.hi}`, added);
      }
    }
    if (next.size > SUMS_MAX) return undefined;
    sums = next;
  }
  return [...sums.values()];
}

/**
 * Whether an amount explains a residual; where the balance visibly rose, also together with a purchase of whole
 * credits. A purchase is recognised, never set off against a charge: without a visible rise there was none.
 */
function fitOf(residual: Interval, rose: boolean): (amount: Interval) => boolean {
  return (amount) => {
    if (meets(residual, amount)) return true;
    if (!rose) return false;
    const missing = minus(amount, residual);
    const least = Math.ceil((missing.lo - BALANCE_TOLERANCE_NANO) / NANO_PER_CREDIT);
    const most = Math.floor((missing.hi + BALANCE_TOLERANCE_NANO) / NANO_PER_CREDIT);
    return Math.max(least, TOP_UP_MIN) <= Math.min(most, TOP_UP_MAX);
  };
}
