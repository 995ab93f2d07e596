import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../domain/defined.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { intentOf } from '../../domain/standing.js';
import type { BatchPlace } from '../access/home-access.js';
import type { PlannedRow } from './row-planner.js';

/** A changed row as it is kept of every one: an order may name any of them. */
export interface ChangedId {
  id: string;
  index: number;
  line: number;
  /** The rows that feed it: as the manifest names them, and by the index of the one that renders. */
  feeders: readonly { id: string; at: number }[];
  isOpen: boolean;
  /** It was taken over, so that no request of its own is compared: what changed goes through it to the rows that it feeds. */
  passes?: true;
  /** Of the first ones: only they are told with the columns that changed. */
  planned?: PlannedRow;
}

const CHANGED_WHOLE_MAX = 1_000;

/** Takes the row down where its content differs from what was submitted. */
export function noteChanged(found: ChangedId[], planned: PlannedRow): void {
  const { row, changed } = planned;
  const feeders = fedMedia(row).map(({ id, at }) => ({ id, at }));
  const { id, index, line } = row;
  const isTakenOver = planned.reusedFrom !== undefined && planned.plan.plan === 'submit' && !planned.isSame;
  if (changed === undefined) {
    if (isTakenOver) found.push({ id, index, line, feeders, isOpen: false, passes: true });
    return;
  }
  const isWhole = found.length < CHANGED_WHOLE_MAX;
  found.push({
    id,
    index,
    line,
    feeders,
    isOpen: changed.isOpen,
    ...(isWhole && { planned }),
  });
}

/** Whether one of some rows feeds a row. Pure. */
export function isFedBy({ feeders }: Pick<ChangedId, 'feeders'>, rows: FeedingRows): boolean {
  return feeders.some(({ id, at }) => rows.ids.has(id) || rows.indexes.has(at));
}

export interface FeedingRows {
  ids: Set<string>;
  indexes: Set<number>;
}

export function feedingRows(rows: readonly Pick<ChangedId, 'id' | 'index'>[]): FeedingRows {
  return { ids: new Set(rows.map(({ id }) => id)), indexes: new Set(rows.map(({ index }) => index)) };
}

/** Columns in which two rows ask the service for something else. Pure. */
export function changedColumns(before: Row, now: Row): string[] {
  const facts = (row: Row): Record<string, unknown> => ({
    kind: row.kind,
    ...row.cells,
    ...mediaFacts(row),
    ...defined({ extra: row.extra }),
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
export async function withColumns({ access, batch }: BatchPlace, planned: PlannedRow): Promise<PlannedRow> {
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
