import type { Case, Reading } from './evidence.js';
import { type Interval, times } from './interval.js';
import { isLaterState, showsAllUntil } from './residual.js';

/** What the lost answers of one price can have done to the balance between two readings. */

/**
 * What it takes when `by` more cases of a class are in the balance than before. Where one can have gone while another
 * came, the two need not have cost the same.
 */
export function amountOf(by: number, { up, down }: { up: number; down: number }, price: Interval): Interval {
  const amount = times(by, price);
  const exchanged = Math.min(up - Math.max(0, by), down + Math.min(0, by));
  if (exchanged === 0 || price.lo === price.hi) return amount;
  const apart = exchanged * (price.hi - price.lo);
  return { lo: amount.lo - apart, hi: amount.hi + apart };
}

/** How many cases of a class can have appeared in the balance between two readings, and how many can have gone. */
export function boundsOf(cases: Case[], base: Reading, at: Reading, lambdaMs: number): { up: number; down: number } {
  const isLater = isLaterState(base, at, lambdaMs);
  let up = 0;
  let down = 0;
  for (const { claimedAtMs, t0Ms, dueAfterMs, backAfterMs } of cases) {
    const dueMs = t0Ms + dueAfterMs;
    const backMs = backAfterMs === null ? null : t0Ms + backAfterMs;
    // An older state may lack a refund that the earlier reading showed.
    const isUnrefunded = !isLater && backMs !== null && !showsAllUntil(at, backMs, lambdaMs);
    if (claimedAtMs < at.atMs && (isUnrefunded || !showsAllUntil(base, dueMs, lambdaMs))) up += 1;
    const isStale = !isLater && !showsAllUntil(at, dueMs, lambdaMs);
    const mayComeBack = backMs !== null && !showsAllUntil(base, backMs, lambdaMs);
    if (claimedAtMs < base.atMs && (isStale || mayComeBack)) down += 1;
  }
  return { up, down };
}
