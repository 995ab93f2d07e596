import type { CreditsNano, CreditsRange } from '../../domain/money.js';

/** A closed interval of nanocredits; infinite ends stand for "without bound". */
export interface Interval {
  lo: number;
  hi: number;
}

export const ZERO: Interval = { lo: 0, hi: 0 };

export function point(nano: CreditsNano): Interval {
  return { lo: nano, hi: nano };
}

export function intervalOf({ lo, hi }: CreditsRange): Interval {
  return { lo, hi: hi ?? Number.POSITIVE_INFINITY };
}

export function plus(a: Interval, b: Interval): Interval {
  return { lo: a.lo + b.lo, hi: a.hi + b.hi };
}

export function minus(a: Interval, b: Interval): Interval {
  return { lo: a.lo - b.hi, hi: a.hi - b.lo };
}

/** `count` amounts, each anywhere in the interval; a negative count takes them away. No amount times infinity is none. */
export function times(count: number, { lo, hi }: Interval): Interval {
  if (count === 0) return ZERO;
  return count > 0 ? { lo: count * lo, hi: count * hi } : { lo: count * hi, hi: count * lo };
}

/** True when the two share a point, give or take the slack. */
export function meets(a: Interval, b: Interval, slackNano: CreditsNano): boolean {
  return a.lo <= b.hi + slackNano && b.lo <= a.hi + slackNano;
}
