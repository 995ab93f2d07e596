import type { BatchProgress, BatchState } from '../src/contract/workflows.js';

/** Rows whose outputs cannot be stored for now: pure, like the window. */

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
