import { getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import { jobId } from '../src/contract/names.js';
import type { BatchInput, BatchState } from '../src/contract/workflows.js';
import * as window from './batch-state.js';
import { beginReadSpent, reservePayment, takeSpent } from './budget.js';
import { homeProxy, lastReadProxy, wholeBatchProxy } from './proxies.js';

/** What jobs and watchers hear of a batch, what it has spent, and how its books close. */

/** Shows watchers what is lost and decided; until it is decided, a row leaves its place in the window to another. */
export function listenForCases(state: BatchState, touch: () => void): void {
  setHandler(messages.caseNoted, ({ id, verdict, isOver }) => {
    window.noteCase(state, id, verdict === undefined && !isOver);
    touch();
    if (isOver) return;
    const event = verdict ? { type: 'settled' as const, verdict } : { type: 'ambiguous' as const };
    window.addEvent(state, { atMs: Date.now(), id, ...event });
  });
}

/** Answers the jobs of a batch that want to pay for their row again. */
export function answerPayments({ account, batch }: BatchInput, state: BatchState): void {
  setHandler(messages.paymentAsked, async (asked) => {
    const answer = { n: asked.n, isReserved: reservePayment(state, asked) };
    try {
      await getExternalWorkflowHandle(jobId(account, batch, asked.id)).signal(messages.paymentAnswered, answer);
    } catch {
      // The job ended meanwhile: its row's end settles what was reserved.
    }
  });
}

/** What a batch has spent before, where that is not known in this run. */
export async function readSpent({ account, batch }: BatchInput, state: BatchState): Promise<void> {
  beginReadSpent(state);
  takeSpent(state, await homeProxy(account).readSpent({ batch }));
}

/** Reads the balance once more when a batch ends, so that what it tells of the last rows is in the results. */
export async function closeBooks(account: string, batch: string, sinceMs: number): Promise<void> {
  try {
    await lastReadProxy(account).readAccount({ maxAgeMs: 0 });
  } catch {
    // The service is away: the books close with what was read before.
  }
  await wholeBatchProxy(account).closeBooks({ batch, sinceMs });
}
