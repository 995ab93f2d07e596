import { batchProgress, type Supply, supply } from '../../contract/messages.js';
import { batchId, taskQueues } from '../../contract/names.js';
import type { BatchInput, BatchResult, RetryOrder } from '../../contract/workflows.js';
import type { BatchLimits } from '../../domain/limits.js';
import type { WorkAccess } from '../access/work-access.js';
import type { Session } from '../session.js';

/** Hands a generation of rows to the batch's workflow, which is started when it does not run. */

export interface BatchOrder {
  batch: string;
  generation: string;
  rows: number;
  retry: RetryOrder | null;
  /** New attempts for unbilled failed renders. */
  retries: number;
}

export async function submitBatch(session: Session, work: WorkAccess, order: BatchOrder): Promise<void> {
  const account = session.config.account.name;
  const { batch, generation, rows, retry, retries } = order;
  await work.temporal.client.workflow.signalWithStart<
    (input: BatchInput) => Promise<BatchResult>,
    Parameters<typeof supplyArguments>
  >('batch', {
    workflowId: batchId(account, batch),
    taskQueue: taskQueues(account).home,
    args: [batchInput(session, batch, retries)],
    signal: supply,
    signalArgs: [{ generation, rows, retry, limits: limitsOf(session) }],
  });
}

/** What a batch is started with; one that runs keeps what it has. */
export function batchInput({ config }: Session, batch: string, retries: number): BatchInput {
  return {
    account: config.account.name,
    batch,
    policy: { ambiguity: config.ambiguity, retries, wasteMaxNano: config.alwaysMaxWaste },
    timeScale: config.timeScale,
    syncMaxMs: config.waits.syncMaxSeconds * 1_000,
  };
}

/** The number of the last event that a batch told before now; 0 when it does not run. */
export async function lastEventSeq(session: Session, work: WorkAccess, batch: string): Promise<number> {
  const handle = work.temporal.client.workflow.getHandle(batchId(session.config.account.name, batch));
  try {
    if ((await handle.describe()).status.name !== 'RUNNING') return 0;
    const { events } = await handle.query(batchProgress);
    return events.at(-1)?.seq ?? 0;
  } catch {
    // Not there, or not answering yet: rows that are told twice are told apart by their ids.
    return 0;
  }
}

/** The limits that the settings give a batch. */
export function limitsOf({ config }: Session): BatchLimits {
  return { maxCreditsNano: config.budget.maxCredits, maxFailures: config.budget.maxFailures };
}

declare function supplyArguments(order: Supply): void;
