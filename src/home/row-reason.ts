import type { Attempt, AttemptState } from '../domain/attempt.js';
import type { Flag } from '../domain/outcome.js';
import { allowsAnother, isContradicted, isKnownUnbilled, overrideOf, standingOf } from '../domain/standing.js';

/** What a row's record says of how it came to its end: reason, words and flags, from its ledger. Pure. */

/** A row was paid again on purpose: by a person, or by the batch's policy up to its waste limit. */
export function flagsOf(attempts: Attempt[]): Flag[] {
  const overrides = attempts.flatMap((attempt, i) => {
    const override = overrideOf(attempt);
    // Another render that a person wanted is no doubt about the first.
    if (override?.cause === 'rerun') return [];
    // A further attempt that cost nothing either leaves the row paid once at most.
    const isPaidAgain = attempts.slice(i + 1).some((later) => !allowsAnother(standingOf(later)));
    return override && isPaidAgain ? [{ attempt, override }] : [];
  });
  const flags: Flag[] = [];
  if (isPaidTwice(attempts) || overrides.some(({ attempt }) => mayBeBilled(attempt))) {
    flags.push('possibly_paid_twice');
  }
  if (overrides.some(({ override }) => override.cause === 'person')) flags.push('overridden');
  if (groupOf(attempts) !== undefined) flags.push('settled_together');
  return flags;
}

/** The group that an attempt of the row was counted in, if one was: which of its members was billed is a label. */
export function groupOf(attempts: Attempt[]): string | undefined {
  for (const { states } of attempts) {
    const counted = states.find((state) => state.state === 'verdict' && state.group !== undefined);
    if (counted?.state === 'verdict') return counted.group;
  }
  return undefined;
}

/** True when an attempt that was found not billed was billed after all, and a later one may have been as well. */
export function isPaidTwice(attempts: Attempt[]): boolean {
  return attempts.some(
    (attempt, i) =>
      isContradicted(attempt) && attempts.slice(i + 1).some((later) => !isKnownUnbilled(standingOf(later))),
  );
}

/** Late knowledge can show that the overridden attempt was never billed. */
function mayBeBilled(attempt: Attempt): boolean {
  const standing = standingOf(attempt);
  return standing !== 'refused' && standing !== 'ended';
}

/** The provider's code, message and request id, or the sentence of the verdict, or the person's words. */
export function reasonText({ states }: Attempt): string | undefined {
  const last = states.at(-1);
  switch (last?.state) {
    case 'refused':
      return [last.status, last.code, last.message, last.requestId && `(request ${last.requestId})`]
        .filter((part) => part !== undefined && part !== '')
        .join(' ');
    case 'ended':
      return [last.word, last.code, last.message].filter((part) => part !== undefined && part !== '').join(': ');
    case 'verdict':
      return last.sentence;
    case 'ruled':
    case 'overridden':
      return decisionText(last);
    case 'void':
      return last.why;
    case 'unknown':
    case 'created_lost':
      return last.evidence.message;
    default:
      return undefined;
  }
}

type Decided = Extract<AttemptState, { state: 'attached' | 'ruled' | 'overridden' }>;

/** `ann says that it was billed: the invoice shows it`. */
export function decisionText(state: Decided): string {
  const { who, why } = state.by;
  const said = why === undefined ? '' : `: ${why}`;
  switch (state.state) {
    case 'attached':
      return `${who} gave the handle${said}`;
    case 'ruled':
      return `${who} says that it was ${state.ruling === 'billed' ? 'billed and is lost' : 'not billed'}${said}`;
    case 'overridden':
      if (state.cause === 'rerun') return `${who} had the row rendered again${said}`;
      return `${who} let the row be submitted again although this attempt may have been billed${said}`;
  }
}
