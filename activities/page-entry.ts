import { upperCredits } from '../src/books/credits.js';
import type { PageEntry } from '../src/contract/activities.js';
import type { Row } from '../src/domain/row.js';
import { isRerun, type RerunOrder } from '../src/home/batch-marks.js';
import { type Feeder, fedRow } from '../src/home/feeders.js';
import type { StoredRow } from '../src/home/row-records.js';
import { type RowStanding, rowStanding } from '../src/home/row-standing.js';
import { orderedStanding, type RunOrder, retryFor } from '../src/home/run-order.js';
import { KINDS } from '../src/kinds/facts.js';
import type { Dependencies } from './dependencies.js';

/** Ids make a page long: below this, it stays under 4 KB with all around it. */
export const PAGE_CHARS_MAX = 3_000;

/** Where a row of a batch stands, by its record and, where that does not say it, by its attempts. */
export async function standingOfRow(
  deps: Dependencies,
  batch: string,
  { row, isDamaged }: StoredRow,
  order: RunOrder,
  rerun: RerunOrder,
): Promise<RowStanding> {
  if (isDamaged) return { ended: true, status: 'review', creditsNano: null };
  const record = await deps.records.readRecord(batch, row.id);
  const content = { hash: row.hash, mayRerun: isRerun(rerun, row.id) };
  const seen = rowStanding(record, null, retryFor(record, order.retry), content);
  return seen.ended ? seen : orderedStanding(record, await deps.ledger.read(batch, row.id), order, content);
}

/** What a batch needs to open a row; `feeders` are those that feed it, all of them done. */
export async function entryOf(
  deps: Dependencies,
  batch: string,
  row: Row,
  feeders: readonly Feeder[],
  { letter, attempts }: Extract<RowStanding, { ended: false }>,
): Promise<PageEntry> {
  // What is at the service already has been counted: only a new attempt needs room.
  const isNew = letter === 'n' || letter === 's';
  const upTo = isNew ? await upperCredits(deps.books, batch, fedRow(row, feeders)) : 0;
  const opened = letter === 'n' && feeders.length > 0 ? 'f' : letter;
  return [row.index, opened, attempts, KINDS.indexOf(row.kind), row.id, upTo];
}
