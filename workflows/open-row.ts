import type { RowFinished } from '../src/contract/messages.js';
import type { PageEntry } from '../src/contract/pages.js';
import type { OpenRow } from '../src/contract/rows.js';
import type { BatchProgress, BatchState, Begins, RowRef } from '../src/contract/workflows.js';
import { defined } from '../src/domain/defined.js';
import type { CreditsNano } from '../src/domain/money.js';
import { count, roomNano } from './budget.js';

/** A row whose job must be started, with what the page or look said of it. Pure. */
export type OpenedRow = OpenRow & { entry: PageEntry };

export interface RowFound {
  batch: string;
  part: number;
  entry: PageEntry;
  /** It feeds other rows. */
  feeds: boolean;
  /** No page has come by it yet: that one counts it. */
  isAhead: boolean;
}

/** Puts a row among the open ones; undefined for one that is among them already. */
export function openRow(state: BatchState, found: RowFound, nowMs: number): OpenedRow | undefined {
  const { batch, part, entry, feeds, isAhead } = found;
  const { index, begins, kind, id, upToNano, atServiceNano, earlierNano: countedNano } = entry;
  const known = state.open.find((o) => o.row.id === id);
  const row: RowRef = { batch, generation: state.generation, part, index, id, kind };
  if (known) {
    if (known.row.generation !== state.generation) known.now = row;
    if (feeds) known.feeds = true;
    if (isAhead) return undefined;
    delete known.isAhead;
    known.countedIn = state.generation;
    return undefined;
  }
  const shared = begins === 'share' ? { isSharing: true } : {};
  // What was at the service before has been counted as spent.
  const isNew = begins === 'submit' || begins === 'share' || begins === 'prepare';
  const joined = isNew ? defined({ countedNano }) : { isJoined: true as const, ...defined({ atServiceNano }) };
  const fed = begins === 'prepare' ? { isFed: true as const } : {};
  const chained = { ...(feeds ? { feeds: true as const } : {}), ...(isAhead ? { isAhead: true as const } : {}) };
  const counted = { countedIn: state.generation, restarts: 0, sinceMs: nowMs };
  const opened: OpenRow = { row, ...counted, upToNano, ...shared, ...joined, ...fed, ...chained };
  state.open.push(opened);
  return { ...opened, entry };
}

/** Rows that go on after they had ended, because the ledger learned more of them: pure, like the window. */

/** The rows that were asked for since the last look. */
export function takeReopened(state: BatchState): RowRef[] {
  const rows = state.reopened ?? [];
  delete state.reopened;
  return rows;
}

/** A row that does not fit into the budget waits for those that are open; false where there are none. */
export function waitForRoom(state: BatchState, row: RowRef): boolean {
  if (state.open.length === 0) return false;
  state.short = [...(state.short ?? []), row];
  return true;
}

/** The budget may have room again: what waits for that is asked for once more. */
export function endWaitForRoom(state: BatchState): void {
  if (state.short === undefined) return;
  state.reopened = [...(state.reopened ?? []), ...state.short];
  delete state.short;
}

interface Reopening {
  was?: Pick<RowFinished, 'status' | 'creditsNano'> | undefined;
  begins: Begins;
  /** Claims so far. */
  attempts: number;
  /** It feeds other rows. */
  feeds?: true | undefined;
  /** The most that an attempt can cost, null = unknown; absent in answers of an earlier build. */
  upToNano?: CreditsNano | null | undefined;
  /** Of the attempt at the service; absent where there is none, and in answers of an earlier build. */
  atServiceNano?: CreditsNano | undefined;
}

/**
 * Takes a row that goes on out of the counts and opens it once more; undefined when it is open already, `over budget` when
 * there is no room for its price of today.
 */
export function reopenRow(
  state: BatchState,
  row: RowRef,
  { was, begins, attempts, feeds, upToNano, atServiceNano }: Reopening,
  nowMs: number,
): OpenRow | 'over budget' | undefined {
  if (state.open.some((o) => o.row.id === row.id)) return undefined;
  const room = roomNano(state);
  const isNew = begins === 'submit' || begins === 'prepare';
  const fits = !isNew || room === null || (upToNano ?? Number.POSITIVE_INFINITY) <= room;
  if (!fits) return 'over budget';
  // A row of an earlier manifest is carried on, but belongs to no count.
  const isCounted = row.generation === state.generation;
  if (isCounted && was) count(state, was, -1);
  const joined = { ...joinedCost(was, attempts, upToNano), ...defined({ atServiceNano }) };
  const earlier = defined({ countedNano: was?.creditsNano ?? undefined });
  const cost = isNew ? { upToNano: upToNano ?? null, ...earlier } : joined;
  const countedIn = isCounted ? state.generation : '';
  const chained = { ...(begins === 'prepare' ? { isFed: true as const } : {}), ...(feeds ? { feeds } : {}) };
  const opened: OpenRow = { row, countedIn, restarts: 0, sinceMs: nowMs, ...cost, ...chained };
  state.open.push(opened);
  return opened;
}

/**
 * What is at the service has been counted as spent, unless the row ended without it: found unbilled, it was counted with
 * nothing, or with what another attempt had cost. Until it ends once more its price is reserved.
 */
function joinedCost(
  was: Reopening['was'],
  attempts: number,
  upToNano: CreditsNano | null | undefined,
): Pick<OpenRow, 'upToNano' | 'isJoined' | 'countedNano'> {
  // Without a price there is nothing to reserve: all of the budget would stand for it.
  const isCounted = was === undefined || (was.creditsNano === null && attempts <= 1) || typeof upToNano !== 'number';
  if (isCounted) return { upToNano: 0, isJoined: true };
  return { upToNano, isJoined: true, countedNano: was.creditsNano ?? 0 };
}

/** Of a row that went on without the batch, as from a handle that came late: results that are being written may lack it. */
export function isLateEnd({ open }: BatchState, { id, was }: RowFinished): boolean {
  return was === undefined && open.every(({ row }) => row.id !== id);
}

// ---- rows whose outputs cannot be stored for now ----

/** Notes what cannot be stored; a row that has ended meanwhile is none. */
export function noteBlocked(state: BatchState, { id, code }: { id: string | null; code: string }): void {
  if (id === null) {
    state.resultsBlocked = code;
    return;
  }
  const found = state.open.find((o) => o.row.id === id);
  if (found) found.blocked = code;
}

/** The first output that cannot be stored, and how many there are. */
export function blockedOf(state: BatchState): BatchProgress['blocked'] {
  const rows = state.open.filter((o) => o.blocked !== undefined);
  const [first] = rows;
  if (first?.blocked !== undefined) return { id: first.row.id, code: first.blocked, count: rows.length };
  return state.resultsBlocked === undefined ? null : { id: null, code: state.resultsBlocked, count: 1 };
}

/** What cannot be stored is tried again in any case, and noted again if it fails. */
export function forgetBlocked(state: BatchState): void {
  for (const open of state.open) delete open.blocked;
  delete state.resultsBlocked;
}
