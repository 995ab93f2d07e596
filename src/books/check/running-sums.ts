import type { Interval } from './interval.js';
import { isFree, type Shares } from './shares.js';

/** Sums of intervals that can be taken from each other: what has no bound is counted, since infinity less itself is nothing. */
export interface Sum {
  lo: number;
  hi: number;
  unboundedLo: number;
  unboundedHi: number;
  /** How many of them are not nothing. */
  charges: number;
}

const NOTHING: Sum = { lo: 0, hi: 0, unboundedLo: 0, unboundedHi: 0, charges: 0 };

/** What the first so many of some intervals come to. */
export interface RunningSums {
  of(count: number): Sum;
}

export function runningSums(intervals: Interval[]): RunningSums {
  const sum = { ...NOTHING };
  const sums = intervals.map((one) => ({ ...add(sum, one, 1) }));
  return { of: (count) => sums[count - 1] ?? NOTHING };
}

/** Adds an interval to a sum, or takes it away. */
export function add(sum: Sum, interval: Interval, sign: 1 | -1): Sum {
  const { lo, hi } = interval;
  if (lo === Number.NEGATIVE_INFINITY) sum.unboundedLo += sign;
  else sum.lo += sign * lo;
  if (hi === Number.POSITIVE_INFINITY) sum.unboundedHi += sign;
  else sum.hi += sign * hi;
  if (!isFree(interval)) sum.charges += sign;
  return sum;
}

export function difference(a: Sum, b: Sum): Sum {
  return {
    lo: a.lo - b.lo,
    hi: a.hi - b.hi,
    unboundedLo: a.unboundedLo - b.unboundedLo,
    unboundedHi: a.unboundedHi - b.unboundedHi,
    charges: a.charges - b.charges,
  };
}

export function sharesOf({ lo, hi, unboundedLo, unboundedHi, charges }: Sum): Shares {
  const least = unboundedLo > 0 ? Number.NEGATIVE_INFINITY : lo;
  const most = unboundedHi > 0 ? Number.POSITIVE_INFINITY : hi;
  return { explained: { lo: least, hi: most }, charges };
}
