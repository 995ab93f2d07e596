import type { RowFinished, Supply } from '../src/contract/messages.js';
import type { PageResult } from '../src/contract/pages.js';
import type { OpenRow } from '../src/contract/rows.js';
import type { BatchEvent, BatchProgress, BatchResult, BatchState, RowRef } from '../src/contract/workflows.js';
import type { BatchTally } from '../src/domain/batch.js';
import { noCounts, STATUSES } from '../src/domain/outcome.js';
import { bookFinished, bookRevised, count, countFailure, isBoundByCount, takeLimits } from './budget.js';
import {
  chainsAreOver,
  countAhead,
  endRescan,
  forgetAhead,
  isRescan,
  noteFeeder,
  noteHeld,
  noteRescanned,
  withAhead,
} from './chains.js';
import { blockedOf, endWaitForRoom, type OpenedRow, openRow } from './open-row.js';

/** The sliding window over a batch's rows and its counts: pure, so that it is tested without a server. */

/** Events kept for watchers; older ones are read from the records. */
const EVENTS_KEPT = 60;
/** A page is asked for when this many places are free, so that a page serves several rows. */
const PAGE_MIN = 5;
/** A case may wait for hours: so many beside the window keep no other row waiting, and the state stays bounded. */
const CASES_MAX = 100;
/** Bounds the reply of one page below 4 KB. */
const PAGE_MAX = 25;

export function newBatchState(nowMs: number): BatchState {
  return {
    generation: '',
    rows: 0,
    cursor: null,
    retry: null,
    open: [],
    window: PAGE_MIN,
    counts: noCounts(),
    creditsNano: 0,
    creditsUnknown: 0,
    paused: false,
    cancelling: false,
    limits: { maxCreditsNano: null, maxFailures: null },
    spentNano: null,
    failures: 0,
    stopped: null,
    events: [],
    nextEvent: 1,
    startedAtMs: nowMs,
  };
}

/**
 * Takes an order: a first or edited manifest, a retry, or the same again, which changes nothing while it runs. True where
 * the rows are gone through from the first one.
 */
export function supplyRows(state: BatchState, order: Supply): boolean {
  endWaitForRoom(state);
  takeLimits(state, order.limits);
  const running = state.cursor !== null || state.open.length > 0 || (state.deferred ?? 0) > 0;
  const isWhole = !isDraining(state) && !state.chains?.isFrozen;
  if (running && isWhole && order.generation === state.generation && order.retry === null) return false;
  state.generation = order.generation;
  state.rows = order.rows;
  state.retry = order.retry;
  state.cursor = { part: 0, index: 0 };
  state.deferred = 0;
  state.isSharing = false;
  delete state.paidFrom;
  delete state.chains;
  state.counts = noCounts();
  state.creditsNano = 0;
  state.creditsUnknown = 0;
  state.cancelling = false;
  state.stopped = null;
  state.failures = 0;
  return true;
}

/** A row that ends before its page comes by again is counted by that page. */
export function leaveToPages(state: BatchState): void {
  for (const open of state.open) open.countedIn = '';
}

/** Nothing new is opened: a person cancelled the batch, or it stopped by itself. */
export function isDraining(state: BatchState): boolean {
  return state.cancelling || state.stopped !== null;
}

/** Once every other row has ended, rows that share a render are gone through: what they share is known then. */
export function shareAfterAll(state: BatchState): void {
  const isIdle = state.cursor === null && state.open.length === 0 && (state.chains?.feeders.length ?? 0) === 0;
  const isDue = isIdle && !isDraining(state);
  if (!isDue || (state.deferred ?? 0) === 0) return;
  endRescan(state);
  state.deferred = 0;
  state.isSharing = true;
  state.cursor = { part: 0, index: 0 };
}

/** How many rows may be opened now. */
export function roomForRows(state: BatchState): number {
  if (state.paused || state.outputsPaused === true || isDraining(state)) return 0;
  const cases = state.open.filter((o) => o.isCase).length;
  return Math.min(Math.max(0, state.window - state.open.length + Math.min(CASES_MAX, cases)), PAGE_MAX);
}

/** How many rows the next page may bring; 0 = do not ask now. */
export function roomForPage(state: BatchState): number {
  const room = state.cursor === null ? 0 : roomForRows(state);
  return room >= Math.min(PAGE_MIN, state.window) || state.open.length === 0 ? room : 0;
}

/**
 * As many again as there are slots: downloads and records go on while the next rows already wait for a slot. True where
 * more rows may be open than before.
 */
export function takeCap(state: BatchState, cap: number): boolean {
  const before = state.window;
  state.window = cap + Math.max(PAGE_MIN, cap);
  return state.window > before;
}

/** Books a page: counts what is finished and returns the rows whose jobs must be started. */
export function takePage(state: BatchState, page: PageResult, nowMs: number): OpenedRow[] {
  for (const status of STATUSES) state.counts[status] += page.finished[status] ?? 0;
  state.creditsNano += page.creditsNano;
  state.creditsUnknown += page.creditsUnknown;
  forgetAhead(state, page.finished, page.creditsNano);
  state.deferred = (state.deferred ?? 0) + (page.deferred ?? 0);
  noteHeld(state, page.held);
  if (isRescan(state)) noteRescanned(state, page.entries.length);
  state.cursor = page.next;
  takeCap(state, page.cap);
  const { batch, part, feeding = [] } = page;
  return page.entries.flatMap((entry) => {
    const feeds = feeding.includes(entry.index);
    return openRow(state, { batch, part, entry, feeds, isAhead: false }, nowMs) ?? [];
  });
}

/** Counts a row that ended, once: a second report of it finds it no longer open. A corrected one is counted anew. */
export function countFinished(state: BatchState, report: RowFinished, nowMs: number): boolean {
  const found = state.open.find((o) => o.row.id === report.id);
  const { id, status, creditsNano, was } = report;
  endWaitForRoom(state);
  if (was) {
    state.corrected = true;
    bookRevised(state, report);
  }
  if (was && found === undefined && state.counts[was.status] > 0) {
    count(state, was, -1);
    count(state, report, 1);
  }
  // A row that was opened again since is in no count: its job runs, and will report how it ends.
  if (was || found === undefined) return false;
  state.open = state.open.filter((o) => o !== found);
  bookFinished(state, found, report.creditsNano);
  noteFeeder(state, found, status);
  if (found.isAhead && found.countedIn === state.generation) countAhead(state, report);
  else if (found.countedIn !== state.generation) return true;
  else count(state, report, 1);
  const again = rowToReopen(found, report);
  if (again === undefined) countFailure(state, report);
  else if (!isDraining(state)) state.reopened = [...(state.reopened ?? []), again];
  addEvent(state, { atMs: nowMs, type: 'row_finished', id, status, ...(creditsNano === null ? {} : { creditsNano }) });
  return true;
}

/** Until an answer that was lost is decided, its row leaves its place in the window to another. */
export function noteCase(state: BatchState, id: string, isOpen: boolean): void {
  const found = state.open.find((o) => o.row.id === id);
  if (isOpen && found) found.isCase = true;
  else delete found?.isCase;
}

export function addEvent(state: BatchState, event: Omit<BatchEvent, 'seq'>): void {
  state.events = [...state.events, { seq: state.nextEvent++, ...event }].slice(-EVENTS_KEPT);
}

/** Rows that were never opened end as cancelled, or as not started where the batch stopped by itself. */
export function endRest(state: BatchState): void {
  if (state.cursor === null && (state.deferred ?? 0) === 0 && chainsAreOver(state)) return;
  state.cursor = null;
  state.deferred = 0;
  // No page comes by the rows any more that ended before theirs.
  [state.counts, state.creditsNano] = withAhead(state);
  delete state.chains;
  const counted = STATUSES.reduce((sum, status) => sum + state.counts[status], 0);
  const open = state.open.filter((o) => o.countedIn === state.generation).length;
  state.counts[state.cancelling ? 'cancelled' : 'not_started'] += Math.max(0, state.rows - counted - open);
}

/**
 * The results have read every row, also those that a batch which ended early never came to: their counts stand.
 * Undefined from a worker that did not count them yet.
 */
export function takeTally(state: BatchState, tally: BatchTally | undefined): void {
  if (tally?.open !== 0) return;
  const { counts, creditsNano, creditsUnknown } = tally;
  Object.assign(state, { counts, creditsNano, creditsUnknown });
  if (state.chains) state.chains.ahead = { counts: {}, creditsNano: 0 };
}

export function isFinished(state: BatchState): boolean {
  const isIdle = state.open.length === 0 && (state.reopened ?? []).length === 0;
  return state.cursor === null && isIdle && (state.deferred ?? 0) === 0 && chainsAreOver(state);
}

export function resultOf({ counts, creditsNano, creditsUnknown, stopped }: BatchState): BatchResult {
  return { counts, creditsNano, creditsUnknown, ...(stopped ? { stopped } : {}) };
}

// ---- rows that end for the sake of an order that a newer one has replaced ----

/** The jobs of all open rows were asked to end: what ends as cancelled is opened once more, by the retry that came since. */
export function noteCancelled(state: BatchState): void {
  for (const open of state.open) open.wasCancelled = true;
}

export function noteLifted(state: BatchState, lifted: number | undefined): void {
  if (lifted !== undefined) state.lifted = Math.max(state.lifted ?? 0, lifted);
}

/** They were asked to end for a stop that its user has taken back since. */
export function noteStopped(state: BatchState): void {
  for (const open of state.open) open.wasStopped = true;
}

/** The row to open in place of one that ended and that no page brings again; undefined where its end stands. */
export function rowToReopen(found: OpenRow, { reason, status }: RowFinished): RowRef | undefined {
  // Its job was the old row's.
  if (reason === 'row_replaced') return found.now;
  if (found.wasStopped && status === 'not_started') return found.now ?? found.row;
  // Its job was bounded by what the old row cost: the room may have the new one's price.
  const isOverOld = status === 'not_started' && (reason ?? 'budget_reached') === 'budget_reached';
  if (isOverOld) return found.now ?? (isBoundByCount(found) ? found.row : undefined);
  return found.wasCancelled && status === 'cancelled' ? (found.now ?? found.row) : undefined;
}

// ---- what a watcher of a batch is shown ----

/** What a batch that is not ending does. */
export function phaseOf(state: BatchState): BatchProgress['phase'] {
  if (isDraining(state)) return 'cancelling';
  return state.paused || state.outputsPaused === true ? 'paused' : 'running';
}

export function progressOf(state: BatchState, phase: BatchProgress['phase']): BatchProgress {
  const { generation, rows, creditsUnknown, events, startedAtMs } = state;
  const [open, blocked] = [state.open.length, blockedOf(state)];
  const [counts, creditsNano] = withAhead(state);
  const held = state.chains?.held ? { held: state.chains.held } : {};
  return { phase, generation, rows, counts, open, ...held, blocked, creditsNano, creditsUnknown, events, startedAtMs };
}
