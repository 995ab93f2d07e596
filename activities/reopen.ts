import { upperCredits } from '../src/books/credits.js';
import type { ReopenInput, ReopenResult } from '../src/contract/activities.js';
import type { RowRef } from '../src/contract/workflows.js';
import type { CreditsNano } from '../src/domain/money.js';
import { isRerun, rerunOrder } from '../src/home/batch-marks.js';
import { feedersOf, isReady } from '../src/home/feeders.js';
import { rowStanding } from '../src/home/row-standing.js';
import { loadRow } from '../src/home/row-work.js';
import { retryFor, runOrder } from '../src/home/run-order.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { feedsReader } from './fed-rows.js';

export interface ReopenActivities {
  /** Whether a row that ended goes on, since the ledger outdid its record, and what the batch counted it as. */
  reopenRow(input: ReopenInput): Promise<ReopenResult>;
}

export function reopenActivities(deps: Dependencies): ReopenActivities {
  return { reopenRow: (input) => withRecords(() => reopenRow(deps, input)) };
}

async function reopenRow(deps: Dependencies, { row, cursor }: ReopenInput): Promise<ReopenResult> {
  const { batch, id } = row;
  const [open] = await deps.messenger.areOpen([{ batch, id }]);
  const record = await deps.records.readRecord(batch, id);
  // The job of a row that was replaced is about to close: the batch's sweep starts the new one should that take long.
  if (open && record?.reasonCode !== 'row_replaced') return { outcome: 'nothing' };
  const [{ row: stored }, rerun, order] = await Promise.all([
    deps.rows.readRow(batch, row.generation, row.part, row.index),
    rerunOrder(deps.home, batch, row.generation),
    runOrder(deps, batch, 'unsaid'),
  ]);
  const content = { hash: stored.hash, mayRerun: isRerun(rerun, id) };
  // Rows that failed go on by the pages of a retry; one that a cancel ended after its page has no other way.
  const retry = record?.status === 'cancelled' ? retryFor(record, order.retry) : null;
  const standing = rowStanding(record, await deps.ledger.read(batch, id), retry, content);
  // A row whose page is still to come is found by its page.
  if (standing.ended || (await isAhead(deps, { row, cursor }))) return { outcome: 'nothing' };
  const feeders = await feedersOf(deps, row, stored);
  if (standing.letter === 'n' && !isReady(feeders)) return { outcome: 'nothing', isHeld: true };
  const { attempts } = standing;
  const letter = standing.letter === 'n' && feeders.length > 0 ? 'f' : standing.letter;
  const fed = await feedsReader(deps, batch, row.generation).of(row.index);
  const feeds = fed === undefined ? {} : { feeds: true as const };
  const was = record && { status: record.status, creditsNano: record.creditsNano ?? null };
  const upToNano = letter === 'n' || letter === 'f' ? await priceOf(deps, row) : null;
  return {
    outcome: 'restart',
    letter,
    attempts,
    ...feeds,
    ...(was ? { was } : {}),
    ...(upToNano === null ? {} : { upToNano }),
  };
}

async function priceOf(deps: Dependencies, ref: RowRef): Promise<CreditsNano | null> {
  const { row } = await loadRow(deps, ref);
  return upperCredits(deps.books, ref.batch, row);
}

async function isAhead(deps: Dependencies, { row, cursor }: ReopenInput): Promise<boolean> {
  if (cursor === null || row.part !== cursor.part) return cursor !== null && row.part > cursor.part;
  const part = await deps.rows.readPart(row.batch, row.generation, row.part);
  return part.findIndex((stored) => stored.row.id === row.id) >= cursor.index;
}
