import { clockText, creditsText, rangeText } from '../../books/check/story.js';
import type { Attempt } from '../../domain/attempt.js';
import { formatCredits } from '../../domain/money.js';
import { amount } from '../views/counts.js';
import type { CaseStory } from './story.js';

/** The balance's evidence on one attempt with its numbers, for people and as JSON. Pure. */

export function evidenceLines(found: CaseStory | undefined): string[] {
  if (found === undefined) return ['  the balance was not read both before the submit and after it'];
  const { base, at, fallNano, explained, missing, price, rivals } = found.story;
  const moved = fallNano < 0 ? `it rose by ${creditsText(-fallNano)}` : `it fell by ${creditsText(fallNano)}`;
  const also = rivals === 0 ? '' : `; ${amount(rivals, 'other answer is', 'other answers are')} lost as well`;
  return [
    `  balance  ${formatCredits(base.balanceNano)} at ${clockText(base.atMs)}, before the submit; ${formatCredits(at.balanceNano)} at ${clockText(at.atMs)}: ${moved}`,
    `  others   ${amount(found.others, 'other attempt')} took ${rangeText(explained)} of that${also}`,
    `  missing  ${rangeText(missing)}`,
    `  price    this attempt would cost ${Number.isFinite(price.hi) ? rangeText(price) : 'an unknown amount'}`,
  ];
}

/** The verdict, or what the case waits for and until when; undefined for an attempt that never was a case. */
export function verdictLine(
  attempt: Attempt | undefined,
  found: CaseStory | undefined,
  nowMs: number,
): string | undefined {
  const last = attempt?.states.at(-1);
  const verdict = attempt?.states.findLast((state) => state.state === 'verdict');
  if (verdict !== undefined) return `  verdict  ${verdict.verdict.replace('_', ' ')}, at ${clockText(verdict.atMs)}`;
  if (last?.state !== 'unknown' && last?.state !== 'created_lost') return undefined;
  if (found === undefined) return '  verdict  none yet: it waits for a reading of the balance';
  if (nowMs < found.dueAtMs) {
    return `  verdict  none yet: that it was not billed can be known from ${clockText(found.dueAtMs)} on; that it was, before`;
  }
  return '  verdict  none yet: it waits until the readings of the balance allow one answer alone';
}

export function evidenceJson(found: CaseStory | undefined): object | null {
  if (found === undefined) return null;
  const { story, others, dueAtMs } = found;
  const { base, at, fallNano, explained, missing, price, rivals } = story;
  return {
    balance_before: { at: new Date(base.atMs).toISOString(), credits: formatCredits(base.balanceNano) },
    balance_after: { at: new Date(at.atMs).toISOString(), credits: formatCredits(at.balanceNano) },
    fell_by: formatCredits(fallNano),
    others: { attempts: others, ...rangeJson(explained) },
    missing: rangeJson(missing),
    price: rangeJson(price),
    other_lost_answers: rivals,
    not_billed_known_from: new Date(dueAtMs).toISOString(),
  };
}

/** Plain decimals; null = without bound. */
function rangeJson({ lo, hi }: { lo: number; hi: number }): { from: string | null; to: string | null } {
  const text = (nano: number): string | null => (Number.isFinite(nano) ? formatCredits(nano) : null);
  return { from: text(lo), to: text(hi) };
}
