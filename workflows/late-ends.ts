import type { RowFinished } from '../src/contract/messages.js';
import type { OpenRow } from '../src/contract/open-row.js';
import type { BatchState, RowRef } from '../src/contract/workflows.js';

/** Rows that end for the sake of an order that a newer one has replaced. Pure. */

/** The jobs of all open rows were asked to end: what ends as cancelled is opened once more, by the retry that came since. */
export function noteCancelled(state: BatchState): void {
  for (const open of state.open) open.wasCancelled = true;
}

/** The row to open in place of one that ended and that no page brings again; undefined where its end stands. */
export function rowToReopen(found: OpenRow, { reason, status }: RowFinished): RowRef | undefined {
  // Its job was the old row's.
  if (reason === 'row_replaced') return found.now;
  return found.wasCancelled && status === 'cancelled' ? (found.now ?? found.row) : undefined;
}
