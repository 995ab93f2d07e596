import type { RowFinished } from '../src/contract/messages.js';
import type { OpenRow } from '../src/contract/open-row.js';
import type { BatchState, Letter, RowRef } from '../src/contract/workflows.js';
import type { CreditsNano } from '../src/domain/money.js';
import { roomNano } from './budget.js';
import { count } from './window.js';

/** Rows that go on after they had ended, because the ledger learned more of them: pure, like the window. */

/** The rows that were asked for since the last look. */
export function takeReopened(state: BatchState): RowRef[] {
  const rows = state.reopened ?? [];
  delete state.reopened;
  return rows;
}

interface Reopening {
  was?: Pick<RowFinished, 'status' | 'creditsNano'> | undefined;
  letter: Letter;
  /** It feeds other rows. */
  feeds?: true | undefined;
  /** The most that a new attempt can cost, null = unknown. */
  upToNano?: CreditsNano | null | undefined;
}

/** Takes a row that goes on out of the counts and opens it once more; undefined when it is open already. */
export function reopenRow(
  state: BatchState,
  row: RowRef,
  { was, letter, feeds, upToNano = null }: Reopening,
  nowMs: number,
): OpenRow | undefined {
  if (state.open.some((o) => o.row.id === row.id)) return undefined;
  const room = roomNano(state);
  const isNew = letter === 'n' || letter === 'f';
  // What does not fit waits for the next order, like every row of a batch whose budget is reached.
  if (isNew && room !== null && (upToNano === null || upToNano > room)) return undefined;
  // A row of an earlier manifest is carried on, but belongs to no count.
  const isCounted = row.generation === state.generation;
  if (isCounted && was) count(state, was, -1);
  // What is at the service has been counted as spent.
  const cost = isNew ? { upToNano } : { upToNano: 0, isJoined: true as const };
  const countedIn = isCounted ? state.generation : '';
  const chained = { ...(letter === 'f' ? { isFed: true as const } : {}), ...(feeds ? { feeds } : {}) };
  const opened: OpenRow = { row, countedIn, restarts: 0, sinceMs: nowMs, ...cost, ...chained };
  state.open.push(opened);
  return opened;
}
