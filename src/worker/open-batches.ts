import type { Client } from '@temporalio/client';
import { taskQueues } from '../contract/names.js';

/** Whether a batch of the account runs; a server may be a moment behind. */
export async function hasOpenBatches(client: Client, account: string): Promise<boolean> {
  const which = `WorkflowType = 'batch' AND TaskQueue = '${taskQueues(account).home}' AND ExecutionStatus = 'Running'`;
  return (await client.workflow.count(which)).count > 0;
}
