import { BALANCE_TOLERANCE_NANO, type CreditsNano, NANO_PER_CREDIT } from '../../domain/money.js';
import type { AccountEvidence, Case, Reading } from './evidence.js';
import { type Interval, meets, minus, plus, point, times, ZERO } from './interval.js';

/** How much of the balance's fall between two readings is left of what is explained. */
export function unexplained(base: Reading, at: Reading, explained: Interval): Interval {
  return minus(point(base.balanceNano - at.balanceNano), explained);
}

/** True when the later reading cannot show an older state than the earlier one: they are further apart than Λ. */
export function isLaterState(base: Reading, at: Reading, lambdaMs: number): boolean {
  return at.askedMs - lambdaMs >= base.atMs;
}

/** True where a reading shows all that happened until an instant. */
export function showsAllUntil(reading: Reading, untilMs: number, lambdaMs: number): boolean {
  return untilMs + lambdaMs <= reading.askedMs;
}

/** Whether a purchase may be in a reading and not in an earlier one, and the other way round in an older copy of the books. */
export interface Purchases {
  mayAppear: boolean;
  mayVanish: boolean;
}

/** Whether an amount explains a residual by itself or beside purchases (whole credits, 5 or more: document 1, Limits). */
export function explains(amount: Interval, residual: Interval, slackNano: number, purchases: Purchases): boolean {
  if (meets(amount, residual, slackNano)) return true;
  const { mayAppear, mayVanish } = purchases;
  const bought = minus(amount, residual);
  // Where one appears and another vanishes, their difference is any whole number.
  if (mayAppear && mayVanish) return hasWhole(bought, Number.NEGATIVE_INFINITY, slackNano);
  if (mayAppear) return hasWhole(bought, PURCHASE_MIN, slackNano);
  return mayVanish && hasWhole(minus(ZERO, bought), PURCHASE_MIN, slackNano);
}

/** The smallest purchase (service document 1, Limits: presets, or a whole-dollar amount from 5 to 5,000). */
const PURCHASE_MIN = 5;
export const PURCHASE_MIN_NANO = PURCHASE_MIN * NANO_PER_CREDIT;

function hasWhole({ lo, hi }: Interval, least: number, slackNano: number): boolean {
  const first = Math.max(least, Math.ceil((lo - slackNano) / NANO_PER_CREDIT));
  return first <= Math.floor((hi + slackNano) / NANO_PER_CREDIT);
}

/** The tolerance between two balances: each is rounded, and so is each of the charges between them. */
export function slackOf({ roundingNano }: Pick<AccountEvidence, 'roundingNano'>, charges = 1): number {
  return 2 * roundingNano + Math.max(1, charges) * BALANCE_TOLERANCE_NANO;
}

/** The account between two readings: start − end = what known attempts cost + unattributed − purchases. */
export interface Balanced {
  topUpNano: CreditsNano;
  /** What nobody known here spent, or `{0, 0}`; null where a price is not known, so that nothing can be said. */
  unattributed: Interval | null;
}

/** The smallest whole-credit purchase and the largest (service document 1, Limits). */
const TOP_UP_MIN_NANO = 5 * NANO_PER_CREDIT;
const TOP_UP_MAX_NANO = 5_000 * NANO_PER_CREDIT;

/** Closes the books between two readings, by what the known attempts leave unexplained. Pure. */
export function balanceBooks(residual: Interval, slack: number): Balanced {
  if (!Number.isFinite(residual.lo) || !Number.isFinite(residual.hi)) return { topUpNano: 0, unattributed: null };
  if (meets(residual, ZERO, slack)) return { topUpNano: 0, unattributed: ZERO };
  if (residual.hi > 0) return { topUpNano: 0, unattributed: residual };
  // The purchase that explains the whole rise; where several would do, the books stay as open as the charges are.
  const least = Math.ceil((-residual.hi - slack) / NANO_PER_CREDIT) * NANO_PER_CREDIT;
  const rest = plus(residual, point(least));
  if (least < TOP_UP_MIN_NANO || least > TOP_UP_MAX_NANO) return { topUpNano: 0, unattributed: residual };
  return { topUpNano: least, unattributed: meets(rest, ZERO, slack) ? ZERO : rest };
}

/** What the lost answers of one price can have done to the balance between two readings. */

/** How many cases of a class can have come into the balance, gone from it, or been charged once more while they are in it. */
export interface CaseBounds {
  up: number;
  down: number;
  more: number;
}

/**
 * What it takes when `by` more cases of a class are in the balance than before. Where one can have gone while another
 * came, the two need not have cost the same; nor need one that is charged in two parts.
 */
export function amountOf(by: number, { up, down, more }: CaseBounds, price: Interval): Interval {
  const amount = times(by, price);
  const exchanged = Math.min(up - Math.max(0, by), down + Math.min(0, by)) + more;
  if (exchanged === 0 || price.lo === price.hi) return amount;
  const apart = exchanged * (price.hi - price.lo);
  return { lo: amount.lo - apart, hi: amount.hi + apart };
}

/** What of that can have happened between two readings. */
export function boundsOf(cases: Case[], base: Reading, at: Reading, lambdaMs: number): CaseBounds {
  const isLater = isLaterState(base, at, lambdaMs);
  let up = 0;
  let down = 0;
  let more = 0;
  for (const { claimedAtMs, t0Ms, dueAfterMs, backAfterMs, moreAfterMs } of cases) {
    const dueMs = t0Ms + dueAfterMs;
    const backMs = backAfterMs === null ? null : t0Ms + backAfterMs;
    // An older state may lack a refund that the earlier reading showed.
    const isUnrefunded = !isLater && backMs !== null && !showsAllUntil(at, backMs, lambdaMs);
    if (claimedAtMs < at.atMs && (isUnrefunded || !showsAllUntil(base, dueMs, lambdaMs))) up += 1;
    const isStale = !isLater && !showsAllUntil(at, dueMs, lambdaMs);
    const mayComeBack = backMs !== null && !showsAllUntil(base, backMs, lambdaMs);
    if (claimedAtMs < base.atMs && (isStale || mayComeBack)) down += 1;
    const mayGrow = moreAfterMs !== undefined && !showsAllUntil(base, t0Ms + moreAfterMs, lambdaMs);
    if (claimedAtMs < base.atMs && mayGrow) more += 1;
  }
  return { up, down, more };
}
