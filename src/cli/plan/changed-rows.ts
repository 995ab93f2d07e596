import { fedMedia } from '../../domain/row.js';
import type { PlannedRow } from './row-planner.js';

/** A changed row as it is kept of every one: an order may name any of them. */
export interface ChangedId {
  id: string;
  line: number;
  /** The rows that feed it, by id. */
  feeders: readonly string[];
  isOpen: boolean;
  /** Of the first ones: only they are told with the columns that changed. */
  planned?: PlannedRow;
}

const CHANGED_WHOLE_MAX = 1_000;

/** Takes the row down where its content differs from what was submitted. */
export function noteChanged(found: ChangedId[], planned: PlannedRow): void {
  const { row, changed } = planned;
  if (changed === undefined) return;
  const feeders = fedMedia(row).map(({ id }) => id);
  const isWhole = found.length < CHANGED_WHOLE_MAX;
  found.push({ id: row.id, line: row.line, feeders, isOpen: changed.isOpen, ...(isWhole && { planned }) });
}
