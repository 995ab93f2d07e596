import type { RowRecord } from '../domain/outcome.js';

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
  const { rerunAtMs: _rerunAtMs, hasEarlierFiles: _hasEarlierFiles, reasonCode: _reasonCode, ...earlier } = before;
  const { creditsNano: _creditsNano, ...rest } = earlier;
  const why = [now.reasonCode, now.reason].filter((part) => part !== undefined).join(': ');
  const flags = now.flags.filter((flag) => flag !== 'rerun_failed');
  return {
    ...rest,
    status: 'done',
    reason: `it was to be rendered again, and the earlier file stays${why === '' ? '' : ` (${why})`}`,
    flags: [...flags, 'rerun_failed'],
    attempts: now.attempts,
    ...(now.creditsNano === undefined ? {} : { creditsNano: now.creditsNano }),
    creditsBasis: now.creditsBasis,
    finishedAtMs: now.finishedAtMs,
    ...(now.seenStates === undefined ? {} : { seenStates: now.seenStates }),
  };
}
