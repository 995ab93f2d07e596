import { isDeepStrictEqual } from 'node:util';
import { intentOf } from '../../domain/attempt.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { isRerun } from '../../store/batch-marks.js';
import type { HomeAccess } from '../access/home-access.js';
import type { ChangedOrder } from './changed-flag.js';
import type { ManifestPlace } from './manifest-flags.js';
import type { PreparedBatch } from './prepare-batch.js';
import { refuseChangedRows, SHOWN_MAX, withFedRows } from './refuse-rows.js';
import type { PlannedRow } from './row-planner.js';

/** Refuses rows whose content differs from what was submitted (`B48`), and names the columns that differ. */
export async function refuseChanged(
  access: HomeAccess,
  place: Pick<ManifestPlace, 'path' | 'batch'>,
  { changed, changedCount }: Pick<PreparedBatch, 'changed' | 'changedCount'>,
  order: ChangedOrder,
): Promise<void> {
  const reruns = withFedRows(order, changed);
  const ids = new Set(changed.map(({ row }) => row.id));
  const isFed = ({ row }: PlannedRow) => fedMedia(row).some(({ id }) => ids.has(id));
  const refused = changed.filter(({ row }) => !isRerun(reruns, row.id));
  const shown = [...refused.filter((one) => !isFed(one)), ...refused.filter(isFed)].slice(0, SHOWN_MAX);
  const named = new Map<PlannedRow, PlannedRow>();
  for (const one of shown) named.set(one, await withColumns(access, place.batch, one));
  refuseChangedRows({ changed: changed.map((one) => named.get(one) ?? one), changedCount }, place, reruns);
}

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

async function withColumns(access: HomeAccess, batch: string, planned: PlannedRow): Promise<PlannedRow> {
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
