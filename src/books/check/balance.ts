import { type CreditsNano, NANO_PER_CREDIT } from '../../domain/money.js';
import type { AccountEvidence, Reading } from './evidence.js';
import { type Interval, meets, plus, point, ZERO } from './interval.js';
import { residualBetween, slackOf } from './residual.js';

/** The account between two readings: start − end = what known attempts cost + unattributed − purchases. */
export interface Balanced {
  topUpNano: CreditsNano;
  /** What nobody known here spent, or `{0, 0}`; null where a price is not known, so that nothing can be said. */
  unattributed: Interval | null;
}

/** The smallest whole-credit purchase and the largest (service document 1, Limits). */
const TOP_UP_MIN_NANO = 5 * NANO_PER_CREDIT;
const TOP_UP_MAX_NANO = 5_000 * NANO_PER_CREDIT;

/** Closes the books between two readings. Pure. */
export function balanceBooks(account: AccountEvidence, base: Reading, at: Reading): Balanced {
  const residual = residualBetween(account, base, at);
  const slack = slackOf(account);
  if (!Number.isFinite(residual.lo) || !Number.isFinite(residual.hi)) return { topUpNano: 0, unattributed: null };
  if (meets(residual, ZERO, slack)) return { topUpNano: 0, unattributed: ZERO };
  if (residual.hi > 0) return { topUpNano: 0, unattributed: residual };
  // The purchase that explains the whole rise; where several would do, the books stay as open as the charges are.
  const least = Math.ceil((-residual.hi - slack) / NANO_PER_CREDIT) * NANO_PER_CREDIT;
  const rest = plus(residual, point(least));
  if (least < TOP_UP_MIN_NANO || least > TOP_UP_MAX_NANO) return { topUpNano: 0, unattributed: residual };
  return { topUpNano: least, unattributed: meets(rest, ZERO, slack) ? ZERO : rest };
}
