import type { Attempt } from '../../domain/attempt.js';
import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import { isKnownUnbilled, standingOf } from '../../domain/standing.js';

/**
 * Whether an earlier render may stand for a row: nothing was paid for it here, and what it has is of other values. One
 * that a person ordered again is to be another take. Pure.
 */
export function mayTakeOver(
  { hash }: { hash: string },
  record: RowRecord | undefined,
  attempts: readonly Attempt[],
): boolean {
  if (!attempts.every((attempt) => isKnownUnbilled(standingOf(attempt)))) return false;
  if (record?.status === 'done') return !isRecordOf(record, hash) && record.rerunAtMs === undefined;
  return record?.status !== 'review';
}
