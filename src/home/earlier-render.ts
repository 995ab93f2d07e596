import type { Attempt, AttemptState } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { ReasonCode } from '../domain/failure.js';
import type { Flag, RowRecord } from '../domain/outcome.js';
import {
  allowsAnother,
  isContradicted,
  isKnownUnbilled,
  isRuledWrongly,
  overrideOf,
  refusalOf,
  standingOf,
} from '../domain/standing.js';

/** Rows that a person had rendered again: what came before holds until another render is whole. Pure. */

/** Its files are those of an earlier render, or it has them until another one that was ordered has come. */
export function hasEarlier({ rerunAtMs, hasEarlierFiles, flags }: RowRecord): boolean {
  return rerunAtMs !== undefined || hasEarlierFiles === true || flags.includes('rerun_failed');
}

/** What stays with a row by a person's order does so while its record tells of the same output. */
export function keepMark(before: RowRecord | undefined, record: RowRecord): RowRecord {
  if (before?.keptFor === undefined || record.rowHash !== before.rowHash) return record;
  return { ...record, keptFor: before.keptFor };
}

/**
 * The record as it is written over `before`: a row that was done stays done with its old files where the other render
 * brought none, and keeps them while a person has to say what became of it.
 */
export function keepEarlier(before: RowRecord | undefined, record: RowRecord): RowRecord {
  if (before === undefined || !hasEarlier(before) || record.status === 'done') return record;
  if (record.status !== 'review') return failedAgain(before, record);
  return record.files.length > 0 ? record : { ...record, files: before.files, hasEarlierFiles: true };
}

/** Another render that was ordered has not come, and is not waited for any more. */
export function failedAgain(before: RowRecord, now: RowRecord): RowRecord {
  const { rerunAtMs: _rerunAtMs, rerunWith: _rerunWith, hasEarlierFiles: _hasEarlierFiles, ...earlier } = before;
  const { reasonCode: _reasonCode, creditsNano: _creditsNano, rerunFailedFor: _rerunFailedFor, ...rest } = earlier;
  const why = [now.reasonCode, now.reason].filter((part) => part !== undefined).join(': ');
  const flags = now.flags.filter((flag) => flag !== 'rerun_failed');
  return {
    ...rest,
    status: 'done',
    reason: `it was to be rendered again, and the earlier file stays${why === '' ? '' : ` (${why})`}`,
    flags: [...flags, 'rerun_failed'],
    ...defined({ rerunFailedFor: now.reasonCode }),
    attempts: now.attempts,
    ...(now.creditsNano === undefined ? {} : { creditsNano: now.creditsNano }),
    creditsBasis: now.creditsBasis,
    finishedAtMs: now.finishedAtMs,
    ...(now.seenStates === undefined ? {} : { seenStates: now.seenStates }),
  };
}

/** What a row's record says of how it came to its end: reason, words and flags, from its ledger. Pure. */

/**
 * A row was paid again on purpose: by a person, or by the batch's policy up to its waste limit; or for a verdict that was
 * wrong. `isMiscounted`: more jobs turned up of a group that it was counted in than were found billed.
 */
export function flagsOf(attempts: Attempt[], isMiscounted = false): Flag[] {
  const overrides = attempts.flatMap((attempt, i) => {
    const override = overrideOf(attempt);
    // Another render that a person wanted is no doubt about the first.
    if (override?.cause === 'rerun') return [];
    // A further attempt that cost nothing either leaves the row paid once at most.
    const isPaidAgain = attempts.slice(i + 1).some((later) => !allowsAnother(standingOf(later)));
    return override && isPaidAgain ? [{ attempt, override }] : [];
  });
  const flags: Flag[] = [];
  const isTwice = isPaidTwice(attempts, isMiscounted) || isPaidBeside(attempts, isRuledWrongly);
  if (isTwice || overrides.some(({ attempt }) => mayBeBilled(attempt))) {
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
export function isPaidTwice(attempts: Attempt[], isMiscounted = false): boolean {
  return isPaidBeside(attempts, (attempt) => isContradicted(attempt, isMiscounted));
}

/** True where such an attempt is followed by one that may have been billed as well. */
function isPaidBeside(attempts: Attempt[], isSuch: (attempt: Attempt) => boolean): boolean {
  return attempts.some(
    (attempt, i) => isSuch(attempt) && attempts.slice(i + 1).some((later) => !isKnownUnbilled(standingOf(later))),
  );
}

/** Late knowledge can show that the overridden attempt was never billed. */
function mayBeBilled(attempt: Attempt): boolean {
  const standing = standingOf(attempt);
  return standing !== 'refused' && standing !== 'ended';
}

/** The provider's code, message and request id, or the sentence of the verdict, or the person's words. */
export function reasonText(attempt: Attempt): string | undefined {
  const last = attempt.states.at(-1);
  switch (last?.state) {
    case 'refused':
      return refusalText(last);
    case 'ended':
      return [last.word, last.code, last.message].filter((part) => part !== undefined && part !== '').join(': ');
    case 'verdict': {
      const { status, code, message } = refusalOf(attempt) ?? {};
      const refused = joined(status, code, message);
      return refused === '' ? last.sentence : `${refused}; ${last.sentence}`;
    }
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

/** The provider's code, message and request id. */
export function refusalText({ status, code, message, requestId }: Extract<AttemptState, { state: 'refused' }>): string {
  return joined(status, code, message, requestId && `(request ${requestId})`);
}

function joined(...parts: (string | number | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
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

/** It ended for what feeds it, before anything was sent: what the service said of an earlier attempt is not why. */
export function isForInputs(reason: ReasonCode | undefined): boolean {
  return reason !== undefined && FOR_INPUTS.includes(reason);
}

const FOR_INPUTS: readonly ReasonCode[] = [
  'input_changed',
  'input_unfit',
  'upstream_failed',
  'upstream_late',
  'upstream_review',
];
