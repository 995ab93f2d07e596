import { setHandler } from '@temporalio/workflow';
import { caseNoted } from '../src/contract/messages.js';
import type { BatchState } from '../src/contract/workflows.js';
import { addEvent } from './window.js';

/** Rows whose answer was lost, as their batch hears of them. */

/** Shows watchers what is lost and decided; until it is decided, a row leaves its place in the window to another. */
export function listenForCases(state: BatchState, touch: () => void): void {
  setHandler(caseNoted, ({ id, verdict, isOver }) => {
    noteCase(state, id, verdict === undefined && !isOver);
    touch();
    if (isOver) return;
    const event = verdict ? { type: 'settled' as const, verdict } : { type: 'ambiguous' as const };
    addEvent(state, { atMs: Date.now(), id, ...event });
  });
}

export function noteCase(state: BatchState, id: string, isOpen: boolean): void {
  const found = state.open.find((o) => o.row.id === id);
  if (isOpen && found) found.isCase = true;
  else delete found?.isCase;
}
