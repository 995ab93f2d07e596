import type { OpenRowState, PageInput, PageResult, SweepInput, SweptRows } from '../src/contract/pages.js';
import { isRecordOf, type Status } from '../src/domain/outcome.js';
import { fedMedia, type Row } from '../src/domain/row.js';
import { sampleInForce } from '../src/home/batch-marks.js';
import { feedersOf, feedsReader, isReady } from '../src/home/feeders.js';
import type { PartFeeds } from '../src/home/feeds.js';
import { type Followers, isLeftAlone, NO_FOLLOWERS, readFollowers, rerunOrder } from '../src/home/row-orders.js';
import { type RowStanding, rowStanding } from '../src/home/row-standing.js';
import { runOrder, standingOfRow } from '../src/home/run-order.js';
import { windowCap } from './account.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { reopen } from './row/closed-models.js';
import { entryOf, hasOwnOrder, heldBack, PAGE_CHARS_MAX } from './row/page-entry.js';
import { paidAlready, paidBehind } from './row/paid-behind.js';
import { sharingEntry } from './share.js';

const SCAN_WIDTH = 25;

export interface RowActivities {
  /** The next unfinished rows of a part, and the counts of the finished ones passed over. */
  pageRows(input: PageInput): Promise<PageResult>;
  /** What became of rows that did not report for a while. */
  sweepRows(input: SweepInput): Promise<SweptRows | OpenRowState[]>;
}

export function rowActivities(deps: Dependencies): RowActivities {
  return {
    pageRows: (input) => withRecords(() => pageRows(deps, input)),
    sweepRows: (input) => withRecords(() => sweepRows(deps, input)),
  };
}

async function pageRows(deps: Dependencies, input: PageInput): Promise<PageResult> {
  const { batch, generation, cursor, limit, isSharing = false, isHeldOnly = false, holdsFed } = input;
  const order = await runOrder(deps, batch, input.retry);
  const page = await newPage(deps, batch, cursor.part);
  const held = heldBack(order, input.limits);
  // Of a paused batch what is at the service is fetched all the same: it goes on up to the first row that is to be sent.
  if (held && !order.isPaused) return { ...page, next: cursor, ...held };
  if (order.retry && !isSharing && isFirst(cursor)) await reopen(deps, batch);
  if (!held && isFirst(cursor) && input.paidFrom && isFirst(input.paidFrom)) {
    const paid = await paidAlready(deps, { batch, generation, limit }, order);
    if (paid) return { ...page, next: cursor, paid };
  }
  const part = await deps.rows.readPart(batch, generation, cursor.part);
  const { fed, sharing } = (await deps.rows.generation(batch, generation)) ?? {};
  const feeds = fed || sharing ? await feedsReader(deps, batch, generation).ofPart(cursor.part) : undefined;
  const filling: Filling = {
    page,
    generation,
    sample: await sampleInForce(deps.home, batch, generation),
    isSharing,
    isHeldOnly,
    holdsFed: holdsFed === true,
    feeds,
    followers: feeds === undefined ? NO_FOLLOWERS : await readFollowers(deps.home, batch),
    room: input.roomNano,
    chars: 0,
  };
  const rerun = await rerunOrder(deps.home, batch, generation);
  const isFull = () => page.isShort || page.entries.length >= limit || filling.chars >= PAGE_CHARS_MAX;
  let at = cursor.index;
  let isHeld = false;
  while (at < part.length && !isHeld && !isFull()) {
    const rows = part.slice(at, at + SCAN_WIDTH);
    const standings = await Promise.all(
      rows.map(async (row) => (isPassed(filling, row.row) ? undefined : standingOfRow(deps, batch, row, order, rerun))),
    );
    for (const [i, { row }] of rows.entries()) {
      const standing = standings[i];
      isHeld = order.isPaused && standing?.ended === false && standing.begins === 'submit';
      if (isHeld || isFull()) break;
      if (standing !== undefined) await place(deps, filling, row, standing);
      if (!page.isShort) at += 1;
    }
  }
  if (isHeld && at === cursor.index) {
    const from = input.paidFrom;
    const paid = from && (await paidBehind(deps, { batch, generation, from, limit }, order));
    return { ...page, next: cursor, ...held, ...(paid && { paid }) };
  }
  page.next =
    at < part.length ? { part: cursor.part, index: at } : await nextPart(deps, batch, generation, cursor.part);
  return page;
}

function isFirst({ part, index }: PageInput['cursor']): boolean {
  return part === 0 && index === 0;
}

/** A page while rows are put into it. */
interface Filling {
  page: PageResult;
  generation: string;
  /** The second way through the rows: it opens those that share a render; all others were counted by the first. */
  isSharing: boolean;
  /** A further way: it opens those that others feed, where they were missed. */
  isHeldOnly: boolean;
  holdsFed: boolean;
  /** Undefined where no row waits for another. */
  feeds: PartFeeds | undefined;
  /** What a person ordered for rows that settled ones feed. */
  followers: Followers;
  /** The rows that may run before the rest is approved; undefined where all may. */
  sample: ReadonlySet<string> | undefined;
  /** What new attempts may still cost, null = no limit. */
  room: number | null;
  chars: number;
}

/** The way that is gone has nothing to do with the row. */
function isPassed({ isSharing, isHeldOnly }: Filling, row: Row): boolean {
  return (isSharing && row.shares === undefined) || (isHeldOnly && fedMedia(row).length === 0);
}

/** Counts a row, leaves it for the second way, or gives it an entry; where the room ends the page is short instead. */
async function place(deps: Dependencies, filling: Filling, row: Row, standing: RowStanding): Promise<void> {
  const { page, isSharing, isHeldOnly, room, followers } = filling;
  if ((isSharing || isHeldOnly) && (standing.ended || standing.begins !== 'submit')) return;
  if (standing.ended) return count(page, standing);
  // What is at the service already is fetched in any case.
  if (standing.begins === 'submit' && filling.sample?.has(row.id) === false) return;
  const isDeferred = !isSharing && row.shares !== undefined && standing.begins === 'submit';
  if (isDeferred && !isHeldOnly) return defer(page);
  const feeders = await feedersOf(deps, { batch: page.batch, generation: filling.generation }, row);
  const isAlone = isLeftAlone(followers, row.id, feeders);
  const isChosen = feeders.length > 0 && (filling.holdsFed || isHeldOnly || isAlone);
  const record = isChosen ? await deps.records.readRecord(page.batch, row.id) : undefined;
  const isOwnOrder = record !== undefined && (await hasOwnOrder(deps, page.batch, row, record));
  const isFollowing = filling.holdsFed && feeders.length > 0 && !followers.starts.has(row.id);
  const isLeft = !isOwnOrder && (isAlone || isFollowing);
  if (standing.begins === 'submit' && (isLeft || !isReady(feeders))) {
    if (!isHeldOnly) page.held = (page.held ?? 0) + 1;
    return;
  }
  // It has ended in this run, and its feeders cannot have been missed: unless what it ended with was of other values.
  const isOver = record !== undefined && record.rerunAtMs === undefined && isRecordOf(record, row.hash);
  if (isHeldOnly && isOver) return;
  // The second way had come by before what feeds it was done: it is gone once more.
  if (isDeferred) return defer(page);
  const { generation } = filling;
  const entry = isSharing
    ? await sharingEntry(deps, { batch: page.batch, generation }, { row, feeders, standing })
    : await entryOf(deps, page.batch, row, feeders, standing);
  const upTo = entry.upToNano;
  page.isShort = room !== null && (upTo === null || upTo > room);
  if (page.isShort) return;
  if (room !== null) filling.room = room - (upTo ?? 0);
  filling.chars += JSON.stringify(entry).length + 1;
  page.entries.push(entry);
  const { fed, sharing } = filling.feeds ?? {};
  if (fed?.has(row.index) || sharing?.has(row.index)) page.feeding = [...(page.feeding ?? []), row.index];
}

function defer(page: PageResult): void {
  page.deferred = (page.deferred ?? 0) + 1;
}

async function newPage(deps: Dependencies, batch: string, part: number): Promise<PageResult> {
  const cap = await windowCap(deps);
  return { batch, part, entries: [], next: null, isShort: false, finished: {}, creditsNano: 0, creditsUnknown: 0, cap };
}

function count(page: PageResult, { status, creditsNano }: Extract<RowStanding, { ended: true }>): void {
  page.finished[status] = (page.finished[status] ?? 0) + 1;
  if (creditsNano === null) page.creditsUnknown += 1;
  else page.creditsNano += creditsNano;
}

async function nextPart(
  deps: Dependencies,
  batch: string,
  generation: string,
  part: number,
): Promise<PageResult['next']> {
  const facts = await deps.rows.generation(batch, generation);
  return facts && part + 1 < facts.parts.length ? { part: part + 1, index: 0 } : null;
}

async function sweepRows(deps: Dependencies, { batch, ids, withCap }: SweepInput): Promise<SweptRows | OpenRowState[]> {
  const open = await deps.messenger.areOpen(ids.map((id) => ({ batch, id })));
  const rows = await Promise.all(
    ids.map(async (id, i): Promise<OpenRowState> => {
      if (open[i]) return { id, state: 'open' };
      const [record, attempts] = await Promise.all([deps.records.readRecord(batch, id), deps.ledger.read(batch, id)]);
      const standing = rowStanding(record, attempts, null);
      if (!standing.ended) return { id, state: 'restart', begins: standing.begins, attempts: standing.attempts };
      const status: Status = standing.status;
      return { id, state: 'finished', status, creditsNano: standing.creditsNano };
    }),
  );
  return withCap ? { rows, cap: await windowCap(deps) } : rows;
}
