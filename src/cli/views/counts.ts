import type { StopReason } from '../../domain/batch.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { STATUSES, type Status } from '../../domain/outcome.js';
import { EXIT } from '../exit-codes.js';

/** How many rows ended how. */
export type Counts = Readonly<Record<Status, number>>;

/**
 * The exit code of a batch that ended: the worst of several wins in the order 3, 6, 1. `settled` = rows that a person
 * gave up as lost: nobody has to look at them again.
 */
export function exitCodeOf(counts: Counts, stopped?: StopReason, settled = 0): number {
  if (counts.review + counts.lost_paid > settled) return EXIT.needsPerson;
  if (stopped === 'budget_reached') return EXIT.outOfCredits;
  if (counts.failed + counts.cancelled + counts.not_started + settled > 0) return EXIT.someNotDone;
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

/** `1 row`, `2 rows`. */
export function amount(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** `3.2 credits`, with the rows whose cost nobody knows. */
export function spentWords(creditsNano: CreditsNano, unknownRows: number): string {
  if (unknownRows === 0) return `${formatCredits(creditsNano)} credits`;
  if (creditsNano === 0) return `the cost of ${amount(unknownRows, 'row')} is not known`;
  return `${formatCredits(creditsNano)} credits, the cost of ${amount(unknownRows, 'row')} is not known`;
}

/** A sum of credits for machines: null where nothing of it is known, which is not the same as 0. */
export function creditsJson(creditsNano: CreditsNano, unknownRows: number): string | null {
  return creditsNano === 0 && unknownRows > 0 ? null : formatCredits(creditsNano);
}
