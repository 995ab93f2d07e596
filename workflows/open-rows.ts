import { patched } from '@temporalio/workflow';
import type { RowFinished } from '../src/contract/messages.js';
import type { OpenRow } from '../src/contract/rows.js';
import type { BatchInput, BatchState, Begins } from '../src/contract/workflows.js';
import * as window from './batch-state.js';
import { roomNano } from './budget.js';
import { feedersLeft, isRescan, takeFed, withEnded } from './chains.js';
import { isHeld, isRoomTaken } from './hold-batch.js';
import type { OpenedRow } from './open-row.js';
import { paidFrom, takePaid } from './paid-behind.js';
import { homeProxy } from './proxies.js';
import { openRoutine, type Routine } from './routine.js';

/** Opens rows of a batch while there is room: those that others have made ready, then pages in the manifest's order. */
export interface OpenRows {
  more(): Promise<void>;
  /** There are rows to ask for, and room for them. */
  hasRoom(): boolean;
  /** A row ended: before that is counted. */
  noteEnded(report: RowFinished): void;
  /** What did not fit into the budget may fit now. */
  tryAgain(): void;
}

/** A row among the open ones whose job is to be started, and where that begins. */
export interface StartedRow {
  opened: OpenRow;
  begins: Begins;
  attempts: number;
}

interface Opening {
  isWoken(): boolean;
  touch(): void;
  start(rows: StartedRow[]): Promise<void>;
}

export function openRows(input: BatchInput, state: BatchState, { isWoken, touch, start }: Opening): OpenRows {
  const home = homeProxy(input.account);
  /** The next row does not fit into the budget until an open one has ended. */
  let short = false;
  /** How often the budget's room may have grown. */
  let grown = 0;
  /** Rows opened before their page that ended while it was read. */
  let endedAhead: RowFinished[] = [];

  return {
    async more() {
      if (roomForFed() > 0) await openFed(roomForFed());
      if (roomForPage() > 0) await openPage(roomForPage());
    },
    hasRoom: () => roomForPage() > 0 || roomForFed() > 0,
    noteEnded(report) {
      tryAgain();
      const isEnd = report.was === undefined;
      if (isEnd && state.open.some(({ row, isAhead }) => isAhead && row.id === report.id)) endedAhead.push(report);
    },
    tryAgain,
  };

  function tryAgain(): void {
    short = false;
    grown += 1;
  }

  function roomForPage(): number {
    return short ? 0 : window.roomForPage(state);
  }

  function roomForFed(): number {
    const isWaiting = feedersLeft(state).length === 0 || (input.isBreadthFirst === true && state.cursor !== null);
    return short || isWaiting ? 0 : window.roomForRows(state);
  }

  async function openPage(limit: number): Promise<void> {
    if (state.cursor === null) return;
    const { generation, cursor, isSharing } = state;
    const ways = { ...(isSharing ? { isSharing } : {}), ...(isRescan(state) ? { isHeldOnly: true } : {}), ...holds() };
    endedAhead = [];
    const before = grown;
    const search = paidFrom(state);
    const page = withEnded(await home.pageRows({ ...asked(limit), cursor, ...ways, ...search }), endedAhead);
    // An order that came while the page was read made it stale, or a row that is paid again.
    if (state.generation !== generation || state.cursor !== cursor || isRoomTaken(state, page.entries)) return;
    if (page.paid !== undefined) {
      const paid = takePaid(state, page.paid, input.batch, Date.now());
      await start(paid.map(({ entry: { begins, attempts }, ...opened }) => ({ opened, begins, attempts })));
      if (page.paid.next !== null) return;
    }
    if (await isHeld(state, page, isWoken)) return;
    await open(window.takePage(state, page, Date.now()), page.isShort, before);
  }

  function holds(): { holdsFed?: true } {
    return state.chains?.isFrozen ? { holdsFed: true } : {};
  }

  async function openFed(limit: number): Promise<void> {
    const { generation, cursor } = state;
    const feeders = feedersLeft(state);
    const asks = feeders.length;
    const before = grown;
    const only = state.chains?.isFrozen ? { isOrderedOnly: true as const } : {};
    const found = await home.fedRows({ ...asked(limit), cursor, feeders: [...feeders], ...only });
    const entries = found.rows.map(({ entry }) => entry);
    if (state.generation !== generation || state.cursor !== cursor || isRoomTaken(state, entries)) return;
    if (await isHeld(state, found, isWoken)) return;
    await open(takeFed(state, found, asks, input.batch, Date.now()), found.isShort, before);
  }

  function asked(limit: number) {
    const { generation, retry, limits } = state;
    return { batch: input.batch, generation, limit, retry, roomNano: roomNano(state), limits };
  }

  /** `before`: how often the room had grown when that was asked. */
  async function open(fresh: OpenedRow[], isShort: boolean, before: number): Promise<void> {
    await start(fresh.map(({ entry: { begins, attempts }, ...opened }) => ({ opened, begins, attempts })));
    // What did not fit then may fit now.
    const isOver = isShort && (before === grown || !patched('room-grown'));
    short = isOver && state.open.length > 0;
    if (!isOver || short) return;
    state.stopped = 'budget_reached';
    touch();
  }
}

const SWEEP_EVERY_MS = 60_000;
const SWEPT_MAX = 20;
/** A job that closes again and again without a record is a defect: its row then needs a person. */
const RESTARTS_MAX = 5;

interface Swept {
  touch(): void;
  ended(report: RowFinished): Promise<void>;
  start(rows: StartedRow[]): Promise<void>;
}

/** Looks now and then after rows that did not report for a while: a terminated job sends nothing. */
export function sweepNowAndThen(
  input: BatchInput,
  state: BatchState,
  { touch, ended, start }: Swept,
): Routine<'sweep'> {
  const everyMs = SWEEP_EVERY_MS / input.timeScale;
  const home = homeProxy(input.account);
  state.dueMs ??= {};
  const routine = openRoutine(state.dueMs);
  const always = () => true;
  routine.repeat('sweep', Math.max(5_000, everyMs), always, async () => {
    const oldest = state.open.filter((o) => Date.now() - o.sinceMs >= everyMs).slice(0, SWEPT_MAX);
    if (oldest.length > 0) await sweep(oldest.map((o) => o.row.id));
  });
  return routine;

  async function sweep(ids: string[]): Promise<void> {
    const swept = await home.sweepRows({ batch: input.batch, ids, withCap: true });
    // From a worker of the build before: the rows alone.
    const { rows, cap } = Array.isArray(swept) ? { rows: swept, cap: null } : swept;
    // Where the account may have more jobs by now, none of those that run need end for that.
    if (cap !== null && window.takeCap(state, cap)) touch();
    for (const seen of rows) {
      const open = state.open.find((o) => o.row.id === seen.id);
      if (!open) continue;
      // The row that was looked at goes to the end, so that the next sweep sees others.
      state.open = [...state.open.filter((o) => o !== open), open];
      if (seen.state === 'finished') await ended(seen);
      if (seen.state !== 'restart') continue;
      if (open.restarts >= RESTARTS_MAX) {
        await home.finishRow({ row: open.row, status: 'review', reason: 'job_closed' });
        continue;
      }
      open.restarts += 1;
      const fresh = open.isSharing ? 'share' : open.isFed ? 'prepare' : 'submit';
      await start([{ opened: open, begins: seen.begins === 'submit' ? fresh : seen.begins, attempts: seen.attempts }]);
    }
  }
}
