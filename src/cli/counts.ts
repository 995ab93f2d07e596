import { STATUSES, type Status } from '../domain/outcome.js';
import { EXIT } from './exit-codes.js';

/** How many rows ended how. */
export type Counts = Readonly<Record<Status, number>>;

/** The exit code of a batch that ended: the worst of several wins in the order 3, 1. */
export function exitCodeOf(counts: Counts): number {
  if (counts.review + counts.lost_paid > 0) return EXIT.needsPerson;
  if (counts.failed + counts.cancelled + counts.not_started > 0) return EXIT.someNotDone;
  return EXIT.done;
}

export function totalOf(counts: Counts): number {
  return STATUSES.reduce((sum, status) => sum + counts[status], 0);
}

/** `done 236, failed 2`: what is 0 is left out. */
export function countsText(counts: Counts): string {
  const shown = STATUSES.filter((status) => counts[status] > 0).map((status) => `${status} ${counts[status]}`);
  return shown.length === 0 ? 'nothing finished yet' : shown.join(', ');
}
