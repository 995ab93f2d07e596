import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Messenger } from '../../activities/dependencies.js';
import type { CallbackMessenger } from '../callbacks/take-callback.js';
import * as messages from '../contract/messages.js';
import {
  batchId,
  jobId,
  lateHandleId,
  lateOutputId,
  lateResultsId,
  semaphoreId,
  taskQueues,
  WORKFLOW_MEMO,
} from '../contract/names.js';

/** Sends the activities' messages through a Temporal client. */
export function createMessenger(client: Client, account: string, timeScale: number): Messenger & CallbackMessenger {
  const semaphore = () => client.workflow.getHandle(semaphoreId(account));
  return {
    async ensureSemaphore() {
      await client.workflow.start('semaphore', {
        memo: WORKFLOW_MEMO,
        workflowId: semaphoreId(account),
        taskQueue: taskQueues(account).home,
        args: [{ account, timeScale, countsHeld: true, namesHeirs: true, forgives: true }],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
    },
    async startJob(input, sinceMs) {
      const { batch, id } = input.row;
      const workflowId = jobId(account, batch, id);
      if (sinceMs !== null) {
        const newest = await newestRun(client, workflowId);
        if (newest.startedMs >= sinceMs) return newest.isOpen;
      }
      await client.workflow.start('job', {
        memo: WORKFLOW_MEMO,
        workflowId,
        taskQueue: taskQueues(account).home,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      return true;
    },
    async acquireFor(asked) {
      const send = () => semaphore().signal(messages.acquireFor, asked);
      if (await delivered(send)) return;
      // No semaphore runs (first job of the account, or a wiped server): start it and ask again.
      await this.ensureSemaphore();
      await send();
    },
    async withdraw(job) {
      await delivered(() => semaphore().signal(messages.withdraw, { job }));
    },
    async rowFinished(batch, report) {
      return delivered(() => client.workflow.getHandle(batchId(account, batch)).signal(messages.rowFinished, report));
    },
    granted: ({ batch, id }, message) =>
      delivered(() => client.workflow.getHandle(jobId(account, batch, id)).signal(messages.granted, message)),
    async release(message) {
      return delivered(() => client.workflow.getHandle(semaphoreId(account)).signal(messages.release, message));
    },
    async outputBlocked(batch, what) {
      await delivered(() => client.workflow.getHandle(batchId(account, batch)).signal(messages.outputBlocked, what));
    },
    async pauseBatch(batch) {
      await delivered(() => client.workflow.getHandle(batchId(account, batch)).signal(messages.pauseBatch));
    },
    async submitted(grant) {
      await delivered(() => semaphore().signal(messages.submitted, { grant }));
    },
    async caseOpened(opened) {
      await delivered(() => semaphore().signal(messages.caseOpened, opened));
    },
    async caseEnded(ended) {
      await delivered(() => semaphore().signal(messages.caseEnded, ended));
    },
    async limitsRefused() {
      await delivered(() => semaphore().signal(messages.limitsRefused));
    },
    async outcomeKnown({ batch, id }, message) {
      return delivered(() =>
        client.workflow.getHandle(jobId(account, batch, id)).signal(messages.outcomeKnown, message),
      );
    },
    callbackCame: ({ batch, id }, message) =>
      delivered(() => client.workflow.getHandle(jobId(account, batch, id)).signal(messages.callbackCame, message)),
    async confirmLate(input) {
      await client.workflow.start('lateHandle', {
        workflowId: lateHandleId(account, input.row.batch, input.row.id, input.n),
        taskQueue: taskQueues(account).home,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
    },
    async fetchLate(input) {
      await client.workflow.start('lateOutput', {
        workflowId: lateOutputId(account, input.row.batch, input.row.id, input.n),
        taskQueue: taskQueues(account).home,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
    },
    rewriteResults: (batch) => rewriteResults(client, account, batch),
    isBatchOpen: async (batch) => (await newestRun(client, batchId(account, batch))).isOpen,
    async reopen(order) {
      const { batch } = order.row;
      return delivered(() => client.workflow.getHandle(batchId(account, batch)).signal(messages.reopen, order));
    },
    async areOpen(jobs) {
      return Promise.all(
        jobs.map(async ({ batch, id }) => (await newestRun(client, jobId(account, batch, id))).isOpen),
      );
    },
  };
}

async function rewriteResults(client: Client, account: string, batch: string): Promise<void> {
  await client.workflow.signalWithStart('lateResults', {
    workflowId: lateResultsId(account, batch),
    taskQueue: taskQueues(account).home,
    args: [{ account, batch }],
    signal: messages.resultsOutdated,
  });
}

interface Run {
  /** Epoch ms by the server's clock; 0 = never begun. */
  startedMs: number;
  isOpen: boolean;
}

async function newestRun(client: Client, workflowId: string): Promise<Run> {
  try {
    const { startTime, status } = await client.workflow.getHandle(workflowId).describe();
    return { startedMs: startTime.getTime(), isOpen: status.name === 'RUNNING' || status.name === 'PAUSED' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { startedMs: 0, isOpen: false };
    throw error;
  }
}

/** False when nobody is there to hear it. */
async function delivered(send: () => Promise<void>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
