import type { Client } from '@temporalio/client';
import { taskQueues } from '../contract/names.js';

/** Whether a batch of the account runs; a server may be a moment behind. */
export function hasOpenBatches(client: Client, account: string): Promise<boolean> {
  return areOpen(client, account, "= 'batch'");
}

/** Whether anything goes on for the account: a batch, an output that is still fetched, a read. */
export function hasOpenWork(client: Client, account: string): Promise<boolean> {
  return areOpen(client, account, "!= 'semaphore'");
}

async function areOpen(client: Client, account: string, types: string): Promise<boolean> {
  const which = `WorkflowType ${types} AND TaskQueue = '${taskQueues(account).home}' AND ExecutionStatus = 'Running'`;
  return (await client.workflow.count(which)).count > 0;
}

/** How many batches run for all accounts, and how much else but the semaphores. */
export async function countOpen(client: Client): Promise<{ batches: number; others: number }> {
  const running = async (types: string): Promise<number> =>
    (await client.workflow.count(`WorkflowType ${types} AND ExecutionStatus = 'Running'`)).count;
  const [batches, all] = await Promise.all([running("= 'batch'"), running("!= 'semaphore'")]);
  return { batches, others: Math.max(0, all - batches) };
}
