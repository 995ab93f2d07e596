import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, ParentClosePolicy, sleep } from '@temporalio/workflow';
import { jobId } from '../src/contract/names.js';
import type { LateHandleInput } from '../src/contract/workflows.js';
import { pollBaseOf } from './fetch-row.js';
import type { job } from './job.js';
import { resultsProxy } from './proxies.js';
import { recoverAnswer } from './settle-case.js';

/**
 * A callback named a handle for a row whose job has ended without one: a poll confirms it, then the row is fetched
 * after all and the results are written again. What no poll confirms changes nothing.
 */
export async function lateHandle({ account, row, n, timeScale }: LateHandleInput): Promise<void> {
  // The job may have been created a moment ago: not before a first poll may be made.
  await sleep(pollBaseOf(row.kind) / timeScale);
  if ((await recoverAnswer(account, row, n)) !== 'job') return;
  try {
    await executeChild<typeof job>('job', {
      workflowId: jobId(account, row.batch, row.id),
      parentClosePolicy: ParentClosePolicy.ABANDON,
      // It never submits: what the service made is fetched, or the row says how it ended.
      args: [{ account, row, letter: 'h', attempts: n, policy: { ambiguity: 'hold', retries: 0 }, timeScale }],
    });
  } catch (error) {
    // The row's job was started again meanwhile: it finds the handle in the ledger.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return;
  }
  await resultsProxy(account).rewriteResults({ batch: row.batch });
}
