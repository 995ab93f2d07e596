import { isDeepStrictEqual } from 'node:util';
import { upperCredits } from '../../src/books/credits.js';
import { mostOfOpen } from '../../src/books/spent.js';
import type { PageEntry } from '../../src/contract/pages.js';
import type { FedFrom } from '../../src/contract/rows.js';
import type { AttemptRef } from '../../src/domain/attempt.js';
import type { BatchLimits } from '../../src/domain/batch.js';
import { isRecordOf, type RowRecord } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { type Feeder, fedRow } from '../../src/home/feeders.js';
import { isOutdone, type RowStanding } from '../../src/home/row-standing.js';
import { rowAt } from '../../src/home/rows.js';
import type { RunOrder } from '../../src/home/run-order.js';
import { factsOf } from '../../src/kinds/facts.js';
import { parallel } from '../../src/store/parallel.js';
import { latestPrices } from '../account.js';
import type { Dependencies } from '../dependencies.js';

const READ_WIDTH = 32;

/** Ids make a page long: below this, it stays under 4 KB with all around it. */
export const PAGE_CHARS_MAX = 3_000;

/** Why nothing new of a batch is opened just now: it is paused, or its user ordered other limits than it knows. */
export function heldBack(
  { isPaused, limits }: RunOrder,
  known: BatchLimits | undefined,
): { isPaused: true } | { limits: BatchLimits } | undefined {
  if (isPaused) return { isPaused };
  return limits && known && !isDeepStrictEqual(limits, known) ? { limits } : undefined;
}

/** It is to be rendered again, or stood with a person and goes on by the order that settled it. */
export async function hasOwnOrder(deps: Dependencies, batch: string, row: Row, record: RowRecord): Promise<boolean> {
  if (record.rerunAtMs !== undefined) return true;
  const stood = record.status === 'review' || record.status === 'lost_paid';
  return stood && isRecordOf(record, row.hash) && isOutdone(record, await deps.ledger.read(batch, row.id));
}

/** What a batch needs to open a row; `feeders` are those that feed it, all of them done. */
export async function entryOf(
  deps: Dependencies,
  batch: string,
  row: Row,
  feeders: readonly Feeder[],
  { begins, attempts }: Extract<RowStanding, { ended: false }>,
): Promise<PageEntry> {
  // What is at the service already has been counted: only a new attempt needs room.
  const isNew = begins === 'submit' || begins === 'share';
  const upToNano = isNew ? await upperCredits(deps.books, batch, fedRow(row, feeders)) : 0;
  const opened = begins === 'submit' && feeders.length > 0 ? 'prepare' : begins;
  const ref = { batch, id: row.id, n: attempts };
  const counted = isNew ? await earlierOf(deps, ref) : await countedOf(deps, ref);
  return { index: row.index, id: row.id, kind: row.kind, begins: opened, attempts, upToNano, ...counted };
}

/** Without it the cost of a row that is carried out once more would be counted a second time at its end. */
async function earlierOf(deps: Dependencies, { batch, id, n }: AttemptRef): Promise<Pick<PageEntry, 'earlierNano'>> {
  const record = n === 0 ? undefined : await deps.records.readRecord(batch, id);
  return record?.creditsNano ? { earlierNano: record.creditsNano } : {};
}

/**
 * What the batch's budget has counted for an attempt that is at the service: should it end unbilled, another one costs
 * no more. One that nobody can price has left no room at all.
 */
export async function countedOf(deps: Dependencies, ref: AttemptRef): Promise<Pick<PageEntry, 'atServiceNano'>> {
  const attempt = await deps.ledger.readAttempt(ref);
  const most = attempt && (await mostOfOpen(deps, ref, attempt, () => latestPrices(deps, ref.batch)));
  return { atServiceNano: most ?? 0 };
}

/**
 * Rows that feed others, the one first whose own URL expires soonest: what takes it must be submitted while it lives. Those
 * without such a URL keep their order, which is that of their ends, behind them.
 */
export async function soonestFirst(
  deps: Pick<Dependencies, 'rows' | 'records' | 'settings'>,
  { batch, generation }: { batch: string; generation: string },
  feeders: readonly FedFrom[],
): Promise<FedFrom[]> {
  if (feeders.length < 2) return [...feeders];
  const timed = await parallel(feeders, READ_WIDTH, async (feeder) => {
    const row = (await rowAt(deps.rows, batch, generation, feeder.index))?.stored.row;
    const lifeMs = row && factsOf(row.kind).ownUrlLifeMs;
    const record = lifeMs === undefined ? undefined : await deps.records.readRecord(batch, row?.id ?? '');
    const expiresMs =
      lifeMs === undefined || record === undefined
        ? Number.POSITIVE_INFINITY
        : (record.renderedAtMs ?? record.finishedAtMs) + lifeMs / deps.settings.timeScale;
    return { feeder, expiresMs };
  });
  return timed
    .sort((a, b) => (a.expiresMs === b.expiresMs ? 0 : a.expiresMs - b.expiresMs))
    .map(({ feeder }) => feeder);
}
