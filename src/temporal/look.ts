/** What a Temporal server shows of an account's workflows. Every look may throw while the server or the worker is away. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { batchProgress, semaphoreView } from '../contract/messages.js';
import { batchId, semaphoreId } from '../contract/names.js';
import type { RunningBatch, SemaphoreView } from '../contract/semaphore-view.js';
import type { BatchProgress, BatchResult } from '../contract/workflows.js';
import { bounded } from '../temporal.js';

/** How a batch's workflow stands. */
export type BatchState =
  | { state: 'running' }
  | { state: 'ended'; result: BatchResult }
  /** Someone ended the workflow at the server. */
  | { state: 'broken'; word: string }
  /** No such batch was ever started on this server. */
  | { state: 'absent' };

export async function batchState(client: Client, account: string, batch: string): Promise<BatchState> {
  const handle = client.workflow.getHandle(batchId(account, batch));
  const described = await absentIsUndefined(() => bounded(client.connection, () => handle.describe()));
  if (described === undefined) return { state: 'absent' };
  const word = described.status.name;
  if (word === 'RUNNING' || word === 'PAUSED' || word === 'CONTINUED_AS_NEW') return { state: 'running' };
  if (word !== 'COMPLETED') return { state: 'broken', word: word.toLowerCase() };
  return { state: 'ended', result: await bounded(client.connection, () => handle.result()) };
}

/** Undefined when no such batch was ever started on this server, or when it has ended and answers no question any more. */
export async function progressOf(client: Client, account: string, batch: string): Promise<BatchProgress | undefined> {
  const handle = client.workflow.getHandle(batchId(account, batch));
  try {
    return await absentIsUndefined(() => bounded(client.connection, () => handle.query(batchProgress)));
  } catch (error) {
    // A worker that slept past a task's time may leave a history that cannot be replayed, as a question needs.
    if ((await batchState(client, account, batch)).state === 'ended') return undefined;
    throw error;
  }
}

export function slotsOf(client: Client, account: string): Promise<SemaphoreView | undefined> {
  const handle = client.workflow.getHandle(semaphoreId(account));
  return absentIsUndefined(() => bounded(client.connection, () => handle.query(semaphoreView)));
}

/** Undefined for a batch that does not run. */
export async function lookAtBatch(client: Client, account: string, batch: string): Promise<RunningBatch | undefined> {
  if ((await batchState(client, account, batch)).state !== 'running') return undefined;
  const progress = await progressOf(client, account, batch);
  return progress && { progress, slots: await slotsOf(client, account) };
}

export async function absentIsUndefined<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
