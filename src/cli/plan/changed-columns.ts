import { isDeepStrictEqual } from 'node:util';
import type { Row } from '../../domain/row.js';
import { intentOf } from '../../domain/standing.js';
import type { HomeAccess } from '../access/home-access.js';
import type { PlannedRow } from './row-planner.js';

/** Columns in which two rows ask the service for something else. Pure. */
export function changedColumns(before: Row, now: Row): string[] {
  const facts = (row: Row): Record<string, unknown> => ({
    kind: row.kind,
    ...row.cells,
    ...mediaFacts(row),
    ...(row.extra === undefined ? {} : { extra: row.extra }),
  });
  const [then, after] = [facts(before), facts(now)];
  return [...new Set([...Object.keys(then), ...Object.keys(after)])].filter(
    (column) => !isDeepStrictEqual(then[column], after[column]),
  );
}

/** Where the row stands that feeds a column is no difference. */
function mediaFacts({ media }: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(media).map(([column, list]) => [
      column,
      list.map((item) => (item.source === 'row' ? { ...item, at: 0 } : item)),
    ]),
  );
}

/** With the columns that differ from what was submitted, where the row as it was then can be read. */
export async function withColumns(access: HomeAccess, batch: string, planned: PlannedRow): Promise<PlannedRow> {
  const { row, changed } = planned;
  if (changed === undefined) return planned;
  const attempts = await access.ledger.read(batch, row.id);
  const intent = attempts.map(intentOf).findLast((one) => one?.rowHash === changed.submittedHash);
  if (intent === undefined) return planned;
  const { generation, part, index } = intent;
  // The refusal is certain; only its words depend on the old row.
  const before = await access.rows.readRow(batch, generation, part, index).catch(() => undefined);
  if (before === undefined) return planned;
  return { ...planned, changed: { ...changed, columns: changedColumns(before.row, row) } };
}
