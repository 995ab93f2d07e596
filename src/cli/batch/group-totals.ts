import type { CreditsNano } from '../../domain/money.js';
import { noCounts, type RowRecord, type Status } from '../../domain/outcome.js';
import { plain } from '../terminal.js';
import { countsText, creditsJson, spentWords } from '../views/counts.js';

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
  row: { group: string | undefined; status: Status; record?: RowRecord },
): void {
  if (row.group === undefined) return;
  const total = totals.get(row.group) ?? newTotal();
  totals.set(row.group, total);
  total.counts[row.status] += 1;
  // A row that was never tried has no record and has cost nothing.
  if (row.record !== undefined && row.record.creditsNano === undefined) total.creditsUnknown += 1;
  total.creditsNano += row.record?.creditsNano ?? 0;
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

function newTotal(): GroupTotal {
  return { counts: noCounts(), creditsNano: 0, creditsUnknown: 0 };
}
