import type { Begins, RetryOrder } from '../contract/workflows.js';
import type { Attempt } from '../domain/attempt.js';
import { REASONS } from '../domain/failure.js';
import { isOrderedAgain, isRecordOf, type LiveWord, type RowRecord, type Status } from '../domain/outcome.js';
import {
  allowsAnother,
  countTold,
  intentOf,
  isAtService,
  isKnownUnbilled,
  jobLeft,
  standingOf,
} from '../domain/standing.js';

/** What the home knows of a row: it ended, or where its job begins. */
export type RowStanding =
  | { ended: true; status: Status; creditsNano: number | null }
  | { ended: false; begins: Begins; attempts: number };

/** The content of a row as the manifest has it now. */
export interface RowContent {
  hash: string;
  /** A person ordered that it is paid again where an earlier attempt was made for other content. */
  mayRerun: boolean;
}

/**
 * Reads where a row stands from its record and its attempts. A record ends it, unless a retry order covers it or the
 * ledger outdid it; the ledger then says whether there is something to carry on. With null the ledger was not read yet:
 * what has not ended then is to be looked at there. Pure.
 */
export function rowStanding(
  record: RowRecord | undefined,
  read: Attempt[] | null,
  retry: RetryOrder | null,
  content?: RowContent,
): RowStanding {
  const attempts = read ?? [];
  // An output that is still waited for is tried at each `run`; no reason for another submit.
  const isWaiting = record?.reasonCode === 'output_pending' && (read === null || attempts.some(hasOutput));
  const isEnded = record && record.status !== 'not_started' && isBinding(record, content) && !isWaiting;
  if (isEnded && !isRetried(record, retry) && !isOutdone(record, attempts)) {
    const { status, creditsNano = null } = recordFor(record, content?.hash);
    return { ended: true, status, creditsNano };
  }
  const paid = attempts.findLast((one) => isOfContent(one, content));
  const last = paid ?? jobLeft(attempts) ?? attempts.at(-1);
  const isLate = record !== undefined && isOutdone(record, attempts);
  // A record of other content says nothing of the attempt that was made for this one.
  const own = paid && record && content && !isRecordOf(record, content.hash) ? undefined : record;
  const isNews = isLate && record.seenStates !== statesOf(attempts);
  const begins = last && standsFor(last, content) ? beginsAt(last, own, { isLate, isNews }) : 'submit';
  // A new attempt is numbered after all of them, whatever content they were made for.
  return { ended: false, begins, attempts: (begins === 'submit' ? attempts.at(-1) : last)?.n ?? 0 };
}

/**
 * The one that a record tells of: not of other content and over, nor one that cost nothing behind one that may have cost.
 */
export function attemptOf(record: RowRecord | undefined, attempts: Attempt[]): Attempt | undefined {
  const last = attempts.at(-1);
  if (record === undefined || last === undefined || isAtService(standingOf(last))) return last;
  const own = attempts.filter((one) => intentOf(one)?.rowHash === record.rowHash);
  return own.findLast((one) => !allowsAnother(standingOf(one))) ?? own.at(-1) ?? last;
}

/** An attempt that was made for just this content and may have cost: with an old content back, what was paid for it stands. */
function isOfContent(attempt: Attempt, content: RowContent | undefined): boolean {
  const isOwn = content !== undefined && intentOf(attempt)?.rowHash === content.hash;
  return isOwn && !allowsAnother(standingOf(attempt));
}

/** A row whose content changed is a new request, but one that was paid is paid again only by order. */
function isBinding(record: RowRecord, content: RowContent | undefined): boolean {
  if (content === undefined || isRecordOf(record, content.hash)) return true;
  // Its own content is not known; what was never tried runs once its line can be read again.
  if (record.reasonCode === 'record_damaged') return record.attempts > 0;
  return isPaid(record) && !content.mayRerun;
}

/** A person ordered that it is paid again with the values that it has now: its record tells of what came before. */
export function isOrderedAnew(record: RowRecord, { hash, mayRerun }: RowContent): boolean {
  return mayRerun && !isRecordOf(record, hash) && isPaid(record);
}

function isPaid({ status, attempts }: RowRecord): boolean {
  return attempts > 0 && (status === 'done' || status === 'lost_paid' || status === 'review');
}

/**
 * The record as it holds for this content: an output that was made for other content is not what the row asks for now,
 * and a person says what is to become of it. Nothing is changed in the home: with its old content back, the row is done.
 */
export function recordFor(record: RowRecord, rowHash: string | undefined): RowRecord {
  if (rowHash === undefined || isRecordOf(record, rowHash)) return record;
  if (record.status !== 'done' || !isPaid(record)) return record;
  return {
    ...record,
    status: 'review',
    reasonCode: 'row_changed',
    reason: 'the manifest was changed after the row had been submitted: its output is of the old values',
  };
}

/**
 * True when the ledger has learned more of a row since its record was written: a late answer of a process that was
 * paused, a handle that turned up, a person's decision. What is done stays done, unless a person ordered another render of it.
 */
export function isOutdone(record: RowRecord, attempts: Attempt[]): boolean {
  if (record.rerunAtMs !== undefined) return true;
  const isDone = record.status === 'done' && !record.flags.includes('rerun_failed');
  if (isDone || record.seenStates === undefined) return false;
  // Fresh URLs, while its output is fetched on, tell nothing new of how the row ended.
  if (record.reasonCode === 'output_pending' && attempts.some(hasOutput)) return false;
  return statesOf(attempts) !== record.seenStates;
}

export function hasOutput(attempt: Attempt): boolean {
  const standing = standingOf(attempt);
  return standing === 'rendered' || standing === 'done';
}

/** How many states the ledger has of a row, without those that tell nothing. */
export function statesOf(attempts: Attempt[]): number {
  return attempts.reduce((sum, attempt) => sum + countTold(attempt), 0);
}

/** False for an attempt that ended, was made for other content of the row, and cost nothing or is paid again by order. */
export function standsFor(attempt: Attempt, content: RowContent | undefined): boolean {
  const made = intentOf(attempt)?.rowHash;
  if (made === undefined || content === undefined || made === content.hash) return true;
  const standing = standingOf(attempt);
  if (isAtService(standing)) return true;
  return !content.mayRerun && !isKnownUnbilled(standing);
}

/** `isLate`: its record is outdone, by an order or by what the ledger learned; `isNews`: by the latter. */
function beginsAt(
  last: Attempt,
  record: RowRecord | undefined,
  { isLate, isNews }: { isLate: boolean; isNews: boolean },
): Begins {
  const standing = standingOf(last);
  switch (standing) {
    case 'void':
    case 'refused':
    case 'not_billed':
    case 'ended':
    case 'overridden':
      return 'submit';
    case 'created':
      return 'poll';
    case 'claimed':
    case 'open_case':
    case 'billed':
    case 'undecided':
    case 'given_up':
      return 'case';
    case 'written_off':
      // Its job ends the row as failed; only a later order, of one who knew it, makes another attempt.
      return record === undefined || isNews ? 'case' : 'submit';
    case 'done':
    case 'rendered':
      return record?.status === 'failed' && !isLate ? 'submit' : 'download';
  }
}

/** Rows that a retry runs again: those that ended before it, unbilled, or whose paid output may still be fetched. */
function isRetried(record: RowRecord, retry: RetryOrder | null): boolean {
  if (retry === null || !isOrderedAgain(record, retry)) return false;
  if (record.status === 'failed' || record.status === 'cancelled') return true;
  return record.reasonCode !== undefined && REASONS[record.reasonCode].class === 'output';
}

/** The word that views show for a row that has not ended, from its ledger. Pure. */
export function liveWordOf(attempts: Attempt[]): LiveWord {
  const last = attempts.at(-1);
  if (!last) return 'waiting';
  switch (standingOf(last)) {
    case 'void':
    case 'refused':
    case 'not_billed':
    case 'ended':
    case 'overridden':
      return 'waiting';
    case 'claimed':
      return 'submitting';
    case 'created':
      return 'rendering';
    case 'open_case':
    case 'billed':
    case 'undecided':
    case 'given_up':
    case 'written_off':
      return 'checking';
    case 'done':
    case 'rendered':
      return 'downloading';
  }
}
