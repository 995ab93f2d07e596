import { fedMedia } from '../../domain/row.js';
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
  const isTakenOver = planned.reusedFrom !== undefined && planned.plan.plan === 'submit';
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
