import type { RowRecord } from './outcome.js';

/**
 * True for a row that ended and that a person has to look at. One that a person gave up as billed and lost stays
 * `lost_paid`, but nothing is left to decide. Pure.
 */
export function needsPerson({ status, reasonCode }: Pick<RowRecord, 'status' | 'reasonCode'>): boolean {
  return status === 'review' || (status === 'lost_paid' && reasonCode !== 'marked_lost');
}
