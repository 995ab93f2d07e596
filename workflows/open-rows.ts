import type { RowFinished } from '../src/contract/messages.js';
import type { OpenRow } from '../src/contract/open-row.js';
import type { BatchInput, BatchState, Letter } from '../src/contract/workflows.js';
import { roomNano } from './budget.js';
import { feedersLeft, isRescan, takeFed, withEnded } from './chains.js';
import { isHeld } from './hold-batch.js';
import type { OpenedRow } from './open-row.js';
import { homeProxy } from './proxies.js';
import * as window from './window.js';

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
  letter: Letter;
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
  /** Rows opened before their page that ended while it was read. */
  let endedAhead: RowFinished[] = [];

  return {
    async more() {
      if (roomForFed() > 0) await openFed(roomForFed());
      if (roomForPage() > 0) await openPage(roomForPage());
    },
    hasRoom: () => roomForPage() > 0 || roomForFed() > 0,
    noteEnded(report) {
      short = false;
      if (state.open.some(({ row, isAhead }) => isAhead && row.id === report.id)) endedAhead.push(report);
    },
    tryAgain() {
      short = false;
    },
  };

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
    const page = withEnded(await home.pageRows({ ...asked(limit), cursor, ...ways }), endedAhead);
    // An order that came while the page was read made it stale.
    if (state.generation !== generation || state.cursor !== cursor) return;
    if (await isHeld(state, page, isWoken)) return;
    await open(window.takePage(state, page, Date.now()), page.isShort);
  }

  function holds(): { holdsFed?: true } {
    return state.chains?.isFrozen ? { holdsFed: true } : {};
  }

  async function openFed(limit: number): Promise<void> {
    const { generation, cursor } = state;
    const feeders = feedersLeft(state);
    const asks = feeders.length;
    const only = state.chains?.isFrozen ? { isOrderedOnly: true as const } : {};
    const found = await home.fedRows({ ...asked(limit), cursor, feeders: [...feeders], ...only });
    if (state.generation !== generation || state.cursor !== cursor) return;
    if (await isHeld(state, found, isWoken)) return;
    await open(takeFed(state, found, asks, input.batch, Date.now()), found.isShort);
  }

  function asked(limit: number) {
    const { generation, retry, limits } = state;
    return { batch: input.batch, generation, limit, retry, roomNano: roomNano(state), limits };
  }

  async function open(fresh: OpenedRow[], isShort: boolean): Promise<void> {
    await start(fresh.map(({ entry: [, letter, attempts], ...opened }) => ({ opened, letter, attempts })));
    short = isShort;
    if (!short || state.open.length > 0) return;
    state.stopped = 'budget_reached';
    short = false;
    touch();
  }
}
