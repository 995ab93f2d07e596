import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Handed } from '../../activities/dependencies.js';
import { cancelBatch, supply } from '../contract/messages.js';
import { batchId, taskQueues, WORKFLOW_MEMO } from '../contract/names.js';
import type { BatchInput } from '../contract/workflows.js';
import { isCancelledBatch } from '../home/batch-marks.js';
import { readBatchOrder } from '../home/batch-order.js';

/** Those whose commands or messages changed with the format; the others are read by every build. */
const FORMED = ['semaphore', 'job', 'batch'];
const REASON = 'begun by an earlier build: it goes on from the home';

/**
 * Ends the workflows that an earlier build began and begins their batches anew, before anything is carried on: all that
 * counts of them is in the home, so no row is lost and none is sent again. Only while no worker of that build runs.
 */
export async function startEarlierAnew(client: Client, deps: Handed): Promise<void> {
  const { account } = deps.settings;
  const query = `TaskQueue = '${taskQueues(account).home}' AND ExecutionStatus = 'Running'`;
  const earlier: WorkflowExecutionInfo[] = [];
  for await (const run of client.workflow.list({ query })) {
    if (FORMED.includes(run.type) && run.memo?.format !== WORKFLOW_MEMO.format) earlier.push(run);
  }
  if (earlier.length === 0) return;
  deps.log.info({ account, workflows: earlier.length }, REASON);
  // A batch goes last, each just before it begins anew: one that was ended and not begun again nobody would find any more.
  const others = earlier.filter(({ type }) => type !== 'batch');
  for (const run of others) await end(client, deps, run);
  await deps.messenger.ensureSemaphore();
  for (const run of earlier) if (run.type === 'batch') await beginAnew(client, deps, run);
}

type Run = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>;

async function end(client: Client, { log }: Handed, { workflowId, runId }: Run): Promise<void> {
  await client.workflow
    .getHandle(workflowId, runId)
    .terminate(REASON)
    .catch((error: unknown) => log.info({ workflowId, error: String(error) }, 'it had ended'));
}

async function beginAnew(client: Client, deps: Handed, run: Run): Promise<void> {
  const { account, timeScale, waits } = deps.settings;
  const { workflowId } = run;
  const batch = workflowId.slice(batchId(account, '').length);
  const order = await readBatchOrder(deps.home, batch);
  const generation = await deps.rows.currentGeneration(batch);
  const facts = generation && (await deps.rows.generation(batch, generation));
  // Nothing was submitted of a batch that has no rows here.
  if (!generation || !facts) return end(client, deps, run);
  const policy = order?.policy ?? { ambiguity: 'hold', retries: 0 };
  const rowOrder = order?.isBreadthFirst ? { isBreadthFirst: true as const } : {};
  const input: BatchInput = { account, batch, policy, timeScale, syncMaxMs: waits.syncMaxMs, ...rowOrder };
  const isOrdered = order?.generation === generation;
  const isCancelled = await isCancelledBatch(deps.home, batch);
  await end(client, deps, run);
  const handle = await client.workflow.signalWithStart('batch', {
    workflowId,
    taskQueue: taskQueues(account).home,
    args: [input],
    memo: WORKFLOW_MEMO,
    signal: supply,
    signalArgs: [
      {
        generation,
        rows: facts.rows,
        retry: (isOrdered && order.retry) || null,
        ...(order && { limits: order.limits }),
      },
    ],
  });
  if (isCancelled) await handle.signal(cancelBatch);
}
