import { upperCredits } from '../src/books/credits.js';
import type {
  FedRowsInput,
  FedRowsResult,
  PageEntry,
  ReadyRow,
  ReopenInput,
  ReopenResult,
} from '../src/contract/pages.js';
import type { RowRef } from '../src/contract/workflows.js';
import type { CreditsNano } from '../src/domain/money.js';
import type { Row } from '../src/domain/row.js';
import { sampleInForce } from '../src/home/batch-marks.js';
import { type Feeder, feedersOf, feedsReader, isReady } from '../src/home/feeders.js';
import { type Followers, isLeftAlone, isRerun, readFollowers, rerunOrder } from '../src/home/row-orders.js';
import { type RowStanding, rowStanding } from '../src/home/row-standing.js';
import { loadRow } from '../src/home/row-work.js';
import { rowAt } from '../src/home/rows.js';
import { retryFor, runOrder } from '../src/home/run-order.js';
import { windowCap } from './account.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { countedOf, entryOf, hasOwnOrder, heldBack, PAGE_CHARS_MAX, soonestFirst } from './row/page-entry.js';
import { sharingEntry, standingAfter } from './share.js';

export interface FedRowActivities {
  /** The rows that can run now since rows that feed them are done. */
  fedRows(input: FedRowsInput): Promise<FedRowsResult>;
  /** Whether a row that ended goes on, since the ledger outdid its record, and what the batch counted it as. */
  reopenRow(input: ReopenInput): Promise<ReopenResult>;
}

export function fedRowActivities(deps: Dependencies): FedRowActivities {
  return {
    fedRows: (input) => withRecords(() => fedRows(deps, input)),
    reopenRow: (input) => withRecords(() => reopenRow(deps, input)),
  };
}

/** Beyond so many looks the next call goes on: a row may feed a million that wait for others too. */
const LOOKS_MAX = 500;

async function fedRows(deps: Dependencies, input: FedRowsInput): Promise<FedRowsResult> {
  const { batch, generation, limit, feeders } = input;
  const order = await runOrder(deps, batch, input.retry);
  const cap = await windowCap(deps);
  const result: FedRowsResult = { rows: [], feeders, isShort: false, cap };
  const held = heldBack(order, input.limits);
  if (held) return { ...result, ...held };
  const rerun = await rerunOrder(deps.home, batch, generation);
  const sample = await sampleInForce(deps.home, batch, generation);
  const feeds = feedsReader(deps, batch, generation);
  const followers = await readFollowers(deps.home, batch);
  const opened = new Set<number>();
  let room = input.roomNano;
  let chars = 0;
  let looks = 0;
  const left = (await soonestFirst(deps, input, feeders)).map((feeder) => ({ ...feeder }));
  for (let feeder = left[0]; feeder !== undefined; feeder = left[0]) {
    const next = (await feeds.waitingFor(feeder.index))[feeder.seen];
    if (next === undefined) {
      left.shift();
      continue;
    }
    if (result.rows.length >= limit || chars >= PAGE_CHARS_MAX || looks++ >= LOOKS_MAX) break;
    const place = opened.has(next) ? undefined : await rowAt(deps.rows, batch, generation, next);
    const standing =
      place && (await standingAfter(deps, batch, { stored: place.stored, done: feeder.index }, { order, rerun }));
    const mayRun = place !== undefined && sample?.has(place.stored.row.id) !== false;
    if (mayRun && standing?.ended === false && standing.begins === 'submit') {
      const { row } = place.stored;
      const entry = await entryWhenReady(deps, input, { row, standing, followers, awaited: feeder.index });
      const upTo = entry?.upToNano ?? null;
      result.isShort = entry !== undefined && room !== null && (upTo === null || upTo > room);
      if (result.isShort) break;
      if (entry !== undefined) {
        opened.add(next);
        if (room !== null) room -= upTo ?? 0;
        chars += JSON.stringify(entry).length + 20;
        const isAwaited = (await feeds.waitingFor(row.index)).length > 0;
        // The page of a row that shares a render leaves it to the second way, which passes over what has ended.
        const ahead =
          row.shares === undefined ? await aheadOf(deps, input, row, place.part) : { isAhead: true as const };
        result.rows.push({ part: place.part, entry, ...(isAwaited ? { feeds: true } : {}), ...ahead });
      }
    }
    feeder.seen += 1;
  }
  return { ...result, feeders: left };
}

interface WaitingRow {
  row: Row;
  standing: Extract<RowStanding, { ended: false }>;
  followers: Followers;
  /** The row that is done. */
  awaited: number;
}

/** Undefined for a row that waits for others as well, or that the order is not for. */
async function entryWhenReady(
  deps: Dependencies,
  input: FedRowsInput,
  { row, standing, followers, awaited }: WaitingRow,
): Promise<PageEntry | undefined> {
  // What shares a render waits for that alone, whatever feeds them both.
  if (row.shares !== undefined && (row.shares !== awaited || input.isOrderedOnly)) return undefined;
  const feeding = await feedersOf(deps, input, row);
  if (row.shares !== undefined) return sharingEntry(deps, input, { row, feeders: feeding, standing });
  if (!isReady(feeding) || !(await isMeant(deps, input, { row, feeding, followers }))) return undefined;
  return entryOf(deps, input.batch, row, feeding, standing);
}

/** Whether the order that the batch runs by is for the row as well. */
async function isMeant(
  deps: Dependencies,
  { batch, isOrderedOnly }: FedRowsInput,
  { row, feeding, followers }: { row: Row; feeding: readonly Feeder[]; followers: Followers },
): Promise<boolean> {
  const isAlone = isLeftAlone(followers, row.id, feeding);
  if (!isAlone && (isOrderedOnly !== true || followers.starts.has(row.id))) return true;
  const record = await deps.records.readRecord(batch, row.id);
  return record !== undefined && hasOwnOrder(deps, batch, row, record);
}

async function aheadOf(
  deps: Dependencies,
  { batch, generation, cursor }: FedRowsInput,
  row: Row,
  part: number,
): Promise<Pick<ReadyRow, 'isAhead'>> {
  if (cursor === null || part < cursor.part) return {};
  if (part > cursor.part) return { isAhead: true };
  const rows = await deps.rows.readPart(batch, generation, part);
  return rows.findIndex((stored) => stored.row.index === row.index) >= cursor.index ? { isAhead: true } : {};
}

async function reopenRow(deps: Dependencies, { row, cursor }: ReopenInput): Promise<ReopenResult> {
  const { batch, id } = row;
  const [open] = await deps.messenger.areOpen([{ batch, id }]);
  const record = await deps.records.readRecord(batch, id);
  // The job of the row's old values, or of its earlier render, is about to close: the batch's sweep starts the new one
  // should that take long.
  const isOver = record?.status === 'not_started' || record?.status === 'cancelled';
  const isClosing = isOver || record?.reasonCode === 'row_replaced' || record?.rerunAtMs !== undefined;
  if (open && !isClosing) return { outcome: 'nothing' };
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
  // What shares a render is opened when that is done, or by the second way through the rows.
  if (standing.begins === 'submit' && stored.shares !== undefined) return { outcome: 'nothing' };
  const feeders = await feedersOf(deps, row, stored);
  if (standing.begins === 'submit' && !isReady(feeders)) return { outcome: 'nothing', isHeld: true };
  const { attempts } = standing;
  const begins = standing.begins === 'submit' && feeders.length > 0 ? 'prepare' : standing.begins;
  const isAwaited = (await feedsReader(deps, batch, row.generation).waitingFor(row.index)).length > 0;
  const feeds = isAwaited ? { feeds: true as const } : {};
  const was = record && { status: record.status, creditsNano: record.creditsNano ?? null };
  const upToNano = await priceOf(deps, row);
  const counted = standing.begins === 'submit' ? {} : await countedOf(deps, { batch, id, n: attempts });
  return {
    outcome: 'restart',
    begins,
    attempts,
    ...feeds,
    ...(was ? { was } : {}),
    ...(upToNano === null ? {} : { upToNano }),
    ...counted,
  };
}

async function priceOf(deps: Dependencies, ref: RowRef): Promise<CreditsNano | null> {
  const { row } = await loadRow(deps, ref);
  return upperCredits(deps.books, ref.batch, row);
}

async function isAhead(deps: Dependencies, { row, cursor }: ReopenInput): Promise<boolean> {
  // No page brings a row of another manifest by this place.
  if (row.generation !== (await deps.rows.currentGeneration(row.batch))) return false;
  if (cursor === null || row.part !== cursor.part) return cursor !== null && row.part > cursor.part;
  const part = await deps.rows.readPart(row.batch, row.generation, row.part);
  return part.findIndex((stored) => stored.row.id === row.id) >= cursor.index;
}
