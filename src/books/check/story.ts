import type { CreditsNano } from '../../domain/money.js';
import { formatCredits, NANO_PER_CREDIT } from '../../domain/money.js';
import { priceOf } from './combinations.js';
import type { Reading } from './evidence.js';
import { quietest } from './explain.js';
import { type Interval, minus, point } from './interval.js';
import { explainedBetween, type IndexedEvidence, opennessOf } from './movement-index.js';

/** The numbers that a person follows: what the balance did, what of it is known, and what is missing. */
export interface Story {
  base: Reading;
  at: Reading;
  /** How much the balance fell between the two; negative where it rose. */
  fallNano: CreditsNano;
  /** What the other attempts took. */
  explained: Interval;
  missing: Interval;
  /** What the attempt would cost. */
  price: Interval;
  /** Other answers that are lost as well. */
  rivals: number;
}

/** From the quietest reading before the claim to a later one; undefined where the balance was not read before it. */
export function storyOf(evidence: IndexedEvidence, at: Reading): Story | undefined {
  const before = evidence.readings.filter(({ atMs }) => atMs <= evidence.subject.claimedAtMs);
  const [base] = quietest(before, new Map(before.map((one) => [one, opennessOf(evidence.index, one)])), 1);
  if (base === undefined) return undefined;
  const fallNano = base.balanceNano - at.balanceNano;
  const explained = explainedBetween(evidence.index, base, at);
  const missing = minus(point(fallNano), explained);
  return { base, at, fallNano, explained, missing, price: priceOf(evidence.subject), rivals: evidence.rivals.length };
}

/** The story in one sentence, without its end. */
export function tell({ base, at, fallNano, explained, missing, price, rivals }: Story): string {
  const moved = fallNano >= 0 ? `fell by ${creditsText(fallNano)}` : `rose by ${creditsText(-fallNano)}`;
  const cost = Number.isFinite(price.hi) ? rangeText(price) : 'an unknown amount';
  const also = rivals === 0 ? '' : `; ${rivals} other ${rivals === 1 ? 'answer is' : 'answers are'} lost as well`;
  return (
    `balance ${moved} between ${clockText(base.atMs)} and ${clockText(at.atMs)}; other jobs explain ` +
    `${rangeText(explained)}, so ${rangeText(missing)} is missing; this attempt would cost ${cost}${also}`
  );
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
