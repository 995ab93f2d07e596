import type { RowFinished } from '../contract/messages.js';
import type { BatchState, Letter, OpenRow, RowRef } from '../contract/workflows.js';
import { count } from './window.js';

/** Rows that go on after they had ended, because the ledger learned more of them: pure, like the window. */

/** The rows that were asked for since the last look. */
export function takeReopened(state: BatchState): RowRef[] {
  const rows = state.reopened ?? [];
  delete state.reopened;
  return rows;
}

/** Takes a row that goes on out of the counts and opens it once more; undefined when it is open already. */
export function reopenRow(
  state: BatchState,
  row: RowRef,
  { was, letter }: { was?: Pick<RowFinished, 'status' | 'creditsNano'> | undefined; letter: Letter },
  nowMs: number,
): OpenRow | undefined {
  if (state.open.some((o) => o.row.id === row.id)) return undefined;
  // A row of an earlier manifest is carried on, but belongs to no count.
  const isCounted = row.generation === state.generation;
  if (isCounted && was) count(state, was, -1);
  // What is at the service has been counted as spent; what a person pays again is bounded by nobody.
  const cost = letter === 'n' ? { upToNano: null } : { upToNano: 0, isJoined: true as const };
  const countedIn = isCounted ? state.generation : '';
  const opened: OpenRow = { row, countedIn, restarts: 0, sinceMs: nowMs, ...cost };
  state.open.push(opened);
  return opened;
}
