import { WorkflowNotFoundError } from '@temporalio/client';
import { lookAgain, reopen } from '../../contract/messages.js';
import { batchId, jobId, taskQueues } from '../../contract/names.js';
import type { BatchInput, BatchResult, RowRef } from '../../contract/workflows.js';
import { resumeWork } from '../access/work-access.js';
import { batchInput } from '../batch/submit-batch.js';
import type { Session } from '../session.js';

/**
 * Has rows go on from what the ledger says now: their jobs are woken, or the batch opens them again, which is started
 * for it when it has ended.
 */
export async function continueRows(
  session: Session,
  rows: readonly RowRef[],
  { generation, rows: count }: { generation: string; rows: number },
): Promise<void> {
  const account = session.config.account.name;
  const work = await resumeWork(session);
  const { workflow } = work.temporal.client;
  try {
    for (const row of rows) {
      await workflow
        .getHandle(jobId(account, row.batch, row.id))
        .signal(lookAgain)
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        });
      await workflow.signalWithStart<(input: BatchInput) => Promise<BatchResult>, Parameters<typeof reopenArguments>>(
        'batch',
        {
          workflowId: batchId(account, row.batch),
          taskQueue: taskQueues(account).home,
          args: [batchInput(session, row.batch, 0)],
          signal: reopen,
          signalArgs: [{ generation, rows: count, row }],
        },
      );
    }
  } finally {
    await work.close();
  }
}

declare function reopenArguments(order: { generation: string; rows: number; row: RowRef }): void;
