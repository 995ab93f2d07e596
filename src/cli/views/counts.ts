import type { StopReason } from '../../domain/batch.js';
import { type CreditsNano, type CreditsRange, formatCredits } from '../../domain/money.js';
import { noCounts, type RowRecord, STATUSES, type Status } from '../../domain/outcome.js';
import { plain } from '../terminal.js';
import { EXIT } from '../user-error.js';

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

const NAMES_SHOWN = 5;

/** `a, b and 7 more`: the first of them by name. */
export function firstNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown;
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

/** Counts and credits of the rows with one `group`. Pure. */
export interface GroupTotal {
  counts: Record<Status, number>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
}

export type GroupTotals = ReadonlyMap<string, GroupTotal>;

const GROUPS_SHOWN = 12;

/** Books one row that ended; rows without a group belong to none. */
export function addToGroup(
  totals: Map<string, GroupTotal>,
  row: { group: string | undefined; status: Status; record?: RowRecord; spentNano?: CreditsNano },
): void {
  if (row.group === undefined) return;
  const total = totals.get(row.group) ?? { counts: noCounts(), creditsNano: 0, creditsUnknown: 0 };
  totals.set(row.group, total);
  total.counts[row.status] += 1;
  // A row that was never tried has no record and has cost nothing, but for what it was before it was changed.
  if (row.record !== undefined && row.record.creditsNano === undefined) total.creditsUnknown += 1;
  total.creditsNano += row.record?.creditsNano ?? row.spentNano ?? 0;
}

export function groupLines(totals: GroupTotals): string[] {
  const lines = [...totals].map(
    ([name, { counts, creditsNano, creditsUnknown }]) =>
      `group ${plain(name, 80)}: ${countsText(counts)}; ${spentWords(creditsNano, creditsUnknown)}`,
  );
  const hidden = lines.length - GROUPS_SHOWN;
  return hidden > 0 ? [...lines.slice(0, GROUPS_SHOWN), `${hidden} more groups stand in results.csv`] : lines;
}

export function groupsJson(totals: GroupTotals): object {
  return Object.fromEntries(
    [...totals].map(([name, { counts, creditsNano, creditsUnknown }]) => [
      name,
      { counts, credits: creditsJson(creditsNano, creditsUnknown), creditsUnknown },
    ]),
  );
}

/** `800000000` → `20 %`: the multiplier is the part of the list price that is paid, in billionths. */
export function percentOff(multiplierPpb: number): string {
  return `${formatCredits((1_000_000_000 - multiplierPpb) * 100)} %`;
}

/** `0.4`, `0.4 to 0.8`, or `0.4 or more`. */
export function creditsRangeText({ lo, hi }: CreditsRange): string {
  if (hi === null) return `${formatCredits(lo)} or more`;
  return lo === hi ? formatCredits(lo) : `${formatCredits(lo)} to ${formatCredits(hi)}`;
}
