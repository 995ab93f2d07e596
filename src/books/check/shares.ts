import type { Movement, Reading } from './evidence.js';
import { type Interval, intervalOf, minus, plus, ZERO } from './interval.js';
import { isLaterState } from './residual.js';

/** What single movements took from the balance between two readings. */

/** A movement with its bounds worked out, for the many pairs of readings that ask for them. */
export interface BoundedMovement {
  fromMs: number;
  /** A reading that was asked for then or later shows the whole of it; infinite where it is not over. */
  settledMs: number;
  /** What it has taken once it is settled. */
  whole: Interval;
  /** What it may have taken while it is not. */
  moving: Interval;
}

export function boundedMovement(movement: Movement, lambdaMs: number): BoundedMovement {
  const { fromMs, toMs, afterMs, peak } = movement;
  const whole = intervalOf(movement);
  const moving = { lo: Math.min(0, whole.lo), hi: Math.max(0, whole.hi, peak ?? Number.POSITIVE_INFINITY) };
  return { fromMs, settledMs: toMs === null ? Number.POSITIVE_INFINITY : toMs + afterMs + lambdaMs, whole, moving };
}

/** True where a reading may show a part of it. */
export function isMovingAt({ fromMs, settledMs }: BoundedMovement, { askedMs, atMs }: Reading): boolean {
  return fromMs <= atMs && settledMs > askedMs;
}

export function shareOf(movement: BoundedMovement, base: Reading, at: Reading, lambdaMs: number): Interval {
  const { fromMs, settledMs, whole, moving } = movement;
  if (fromMs > at.atMs || settledMs <= base.askedMs) return ZERO;
  const seenNow = settledMs <= at.askedMs ? whole : moving;
  if (fromMs > base.atMs) return seenNow;
  const change = minus(seenNow, moving);
  // What only ever takes (or only ever gives back) does not turn round between a state and a later one.
  if (!isLaterState(base, at, lambdaMs)) return change;
  if (whole.lo > 0 && whole.hi >= moving.hi) return { lo: Math.max(0, change.lo), hi: change.hi };
  return moving.hi <= 0 ? { lo: change.lo, hi: Math.min(0, change.hi) } : change;
}

/** What attempts took from the balance between two readings. */
export interface Shares {
  explained: Interval;
  /** How many of the movements may have been charged or refunded in between. */
  charges: number;
}

export const NO_SHARES: Shares = { explained: ZERO, charges: 0 };

/** The same with one movement more. */
export function withShare({ explained, charges }: Shares, share: Interval): Shares {
  return { explained: plus(explained, share), charges: isFree(share) ? charges : charges + 1 };
}

export function isFree({ lo, hi }: Interval): boolean {
  return lo === 0 && hi === 0;
}
