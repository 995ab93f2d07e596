import type { PaidBehind } from '../src/contract/pages.js';
import type { BatchState } from '../src/contract/workflows.js';
import { type OpenedRow, openRow } from './open-row.js';

/** Rows at the service behind the one with which a paused batch waits: pure, like the window. */

/** Where to look for rows at the service that stand behind the one at which the batch waits while it is paused. */
export function paidFrom({ cursor, paidFrom = cursor, isSharing, chains }: BatchState): {
  paidFrom?: NonNullable<BatchState['cursor']>;
} {
  const isFirstWay = !isSharing && chains?.rescan === undefined;
  return isFirstWay && paidFrom !== null ? { paidFrom } : {};
}

/** Opens those that were found; the pages count them once they come by. */
export function takePaid(state: BatchState, { rows, next }: PaidBehind, batch: string, nowMs: number): OpenedRow[] {
  state.paidFrom = next;
  return rows.flatMap(({ part, entry, feeds }) => {
    return openRow(state, { batch, part, entry, feeds: feeds === true, isAhead: true }, nowMs) ?? [];
  });
}
