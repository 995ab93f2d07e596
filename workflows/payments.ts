import { getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import { jobId } from '../src/contract/names.js';
import type { BatchInput, BatchState } from '../src/contract/workflows.js';
import { reservePayment } from './budget.js';

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
