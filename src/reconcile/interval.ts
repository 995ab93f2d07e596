import { BALANCE_TOLERANCE_NANO, type CreditsNano } from '../domain/money.js';

/** A closed interval of nanocredits; infinite ends stand for "without bound". */
export interface Interval {
  lo: number;
  hi: number;
}

export const ZERO: Interval = { lo: 0, hi: 0 };

export function point(nano: CreditsNano): Interval {
  return { lo: nano, hi: nano };
}

export function plus(a: Interval, b: Interval): Interval {
  return { lo: a.lo + b.lo, hi: a.hi + b.hi };
}

export function minus(a: Interval, b: Interval): Interval {
  return { lo: a.lo - b.hi, hi: a.hi - b.lo };
}

/** True when the two share a point, within the balance's tolerance. */
export function meets(a: Interval, b: Interval): boolean {
  return a.lo <= b.hi + BALANCE_TOLERANCE_NANO && b.lo <= a.hi + BALANCE_TOLERANCE_NANO;
}
