import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import { jobId } from '../contract/names.js';
import type { OpenRow } from '../contract/open-row.js';
import type { BatchInput, Letter } from '../contract/workflows.js';
import type { CreditsNano } from '../domain/money.js';
import type { job } from './job.js';

/** Starts and cancels the jobs of a batch. */

/** Where a row's job begins; `upToNano` is what the budget has reserved for it, null without a budget. */
interface Beginning {
  letter: Letter;
  attempts: number;
  upToNano: CreditsNano | null;
}

export async function startJob(input: BatchInput, { row }: OpenRow, beginning: Beginning): Promise<void> {
  const { account, policy, timeScale, syncMaxMs } = input;
  const { letter, attempts, upToNano } = beginning;
  const reserved = upToNano === null ? {} : { upToNano };
  const longest = syncMaxMs === undefined ? {} : { syncMaxMs };
  try {
    await startChild<typeof job>('job', {
      workflowId: jobId(account, row.batch, row.id),
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      args: [{ account, row, letter, attempts, policy, timeScale, ...reserved, ...longest }],
    });
  } catch (error) {
    // The row's job is still open from an earlier run of the batch: it is joined.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Asks jobs to end; one whose submit was granted goes on and is fetched. */
export async function cancelJobs(account: string, open: readonly OpenRow[]): Promise<void> {
  await Promise.all(
    open.map(({ row }) =>
      getExternalWorkflowHandle(jobId(account, row.batch, row.id))
        .cancel()
        .catch(() => undefined),
    ),
  );
}
