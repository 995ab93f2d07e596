import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Messenger } from './activities/dependencies.js';
import * as messages from './contract/messages.js';
import { batchId, jobId, semaphoreId, taskQueues } from './contract/names.js';
import type { JobKey } from './contract/semaphore.js';

/** Sends the activities' messages through a Temporal client. */
export function createMessenger(client: Client, account: string, timeScale: number): Messenger {
  return {
    async ensureSemaphore() {
      await client.workflow.start('semaphore', {
        workflowId: semaphoreId(account),
        taskQueue: taskQueues(account).home,
        args: [{ account, timeScale }],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
    },
    async rowFinished(batch, report) {
      return delivered(() => client.workflow.getHandle(batchId(account, batch)).signal(messages.rowFinished, report));
    },
    async release(message) {
      return delivered(() => client.workflow.getHandle(semaphoreId(account)).signal(messages.release, message));
    },
    async outputBlocked(batch, what) {
      await delivered(() => client.workflow.getHandle(batchId(account, batch)).signal(messages.outputBlocked, what));
    },
    async outcomeKnown({ batch, id }, message) {
      await delivered(() =>
        client.workflow.getHandle(jobId(account, batch, id)).signal(messages.outcomeKnown, message),
      );
    },
    async areOpen(jobs) {
      return Promise.all(jobs.map((job) => isOpen(client, account, job)));
    },
  };
}

async function isOpen(client: Client, account: string, { batch, id }: JobKey): Promise<boolean> {
  try {
    const description = await client.workflow.getHandle(jobId(account, batch, id)).describe();
    return description.status.name === 'RUNNING' || description.status.name === 'PAUSED';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
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
