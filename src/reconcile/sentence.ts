import { formatCredits, NANO_PER_CREDIT } from '../domain/money.js';
import type { Checkpoint, SettleEvidence } from './evidence.js';
import { priceOf } from './explanations.js';
import type { Interval } from './interval.js';
import { explainedBetween } from './residual.js';

/** The story of a credits check as a person reads it, without its end. */
export function tell(evidence: SettleEvidence, base: Checkpoint, at: Checkpoint): string {
  const fall = base.balanceNano - at.balanceNano;
  const moved = fall >= 0 ? `fell by ${creditsText(fall)}` : `rose by ${creditsText(-fall)}`;
  const cost = evidence.subject.expected === null ? 'an unknown amount' : rangeText(priceOf(evidence.subject));
  const rivals = evidence.rivals.length;
  const also = rivals === 0 ? '' : `; ${rivals} other ${rivals === 1 ? 'answer is' : 'answers are'} lost as well`;
  const explained = rangeText(explainedBetween(evidence, base, at));
  return `balance ${moved} between ${clockText(base.atMs)} and ${clockText(at.atMs)}; other jobs explain ${explained}; this attempt would cost ${cost}${also}`;
}

/** Credits with at least four decimals: amounts in a sentence stand below each other in the reader's mind. */
export function creditsText(nano: number): string {
  const [whole, fraction = ''] = formatCredits(nano).split('.');
  return `${whole}.${fraction.padEnd(4, '0')}`;
}

export function rangeText({ lo, hi }: Interval): string {
  const text = (nano: number): string => (Math.abs(nano) < NANO_PER_CREDIT * 1e6 ? creditsText(nano) : 'any amount');
  if (lo === hi) return text(lo);
  return Number.isFinite(lo) || Number.isFinite(hi) ? `${text(lo)} to ${text(hi)}` : 'any amount';
}

/** Time of day in UTC: evidence is compared across machines. */
export function clockText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}
