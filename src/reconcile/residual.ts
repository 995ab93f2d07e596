import { BALANCE_TOLERANCE_NANO } from '../domain/money.js';
import type { AccountEvidence, Charge, Checkpoint } from './evidence.js';
import { type Interval, minus, plus, point, ZERO } from './interval.js';

/** The residual: how much of the balance's fall between two readings the known attempts do not explain. */
export function residualBetween(account: AccountEvidence, base: Checkpoint, at: Checkpoint): Interval {
  return minus(point(base.balanceNano - at.balanceNano), explainedBetween(account, base, at));
}

/** What the known attempts took from the balance between two readings. */
export function explainedBetween({ charges, lambdaMs }: AccountEvidence, base: Checkpoint, at: Checkpoint): Interval {
  return charges.map((charge) => shareOf(charge, base, at, lambdaMs)).reduce(plus, ZERO);
}

/**
 * What a reading shows is no older than this, Λ apart. Its answer may have been long on its way: what came between
 * request and answer may be in it or not.
 */
export function shownSinceMs({ askedMs, atMs }: Checkpoint): number {
  return askedMs ?? atMs;
}

/** What one known attempt contributes to the fall between two readings, of which each may be late by Λ. */
function shareOf(charge: Charge, base: Checkpoint, at: Checkpoint, lambdaMs: number): Interval {
  const settledMs = charge.toMs === null ? Number.POSITIVE_INFINITY : charge.toMs + lambdaMs;
  if (settledMs <= shownSinceMs(base) || charge.fromMs > at.atMs) return ZERO;
  const final: Interval = { lo: charge.lo, hi: charge.hi ?? Number.POSITIVE_INFINITY };
  const peak = charge.peak ?? Number.POSITIVE_INFINITY;
  const moving: Interval = { lo: Math.min(0, charge.lo), hi: Math.max(0, final.hi, peak) };
  const seenAtBase = charge.fromMs > base.atMs ? ZERO : moving;
  const seenNow = settledMs <= shownSinceMs(at) ? final : moving;
  return minus(seenNow, seenAtBase);
}

/** Two readings next to each other between which the balance rose in a way that no known attempt explains. */
export interface Rise {
  fromMs: number;
  toMs: number;
}

/** Every such rise; found once for all looks at the same evidence. */
export function risesOf(account: AccountEvidence): Rise[] {
  return account.checkpoints.flatMap((later, i) => {
    const earlier = account.checkpoints[i - 1];
    if (earlier === undefined || residualBetween(account, earlier, later).hi >= -BALANCE_TOLERANCE_NANO) return [];
    return [{ fromMs: earlier.atMs, toMs: later.atMs }];
  });
}

export function hasRise(rises: Rise[], base: Checkpoint, at: Checkpoint): boolean {
  return rises.some(({ fromMs, toMs }) => fromMs >= base.atMs && toMs <= at.atMs);
}
