import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Messenger } from '../../activities/dependencies.js';
import { taskQueues } from '../contract/names.js';
import type { Log } from '../domain/log.js';

/**
 * A history that its own code cannot replay stops its workflow for good. It comes of a worker that slept, or was
 * starved, past the timeout of a workflow task: the SDK may apply the repeated task to what the late one left in
 * memory, and the answer is then recorded in an order that no replay makes. Changed workflow code does it too. So does
 * an answer that the server refuses: the SDK then says nothing, and the same task times out again and again.
 * Nothing that was paid hangs on it, since the ledger answers for every attempt: so such a workflow starts over.
 */
export interface Rescue {
  /** Looks at the account's open workflows once. */
  look(): Promise<void>;
}

type Run = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>;

/** A workflow task that failed so often in a row does not fail by chance. */
const ATTEMPTS_MIN = 3;
/** Nor one that a living worker did not answer in so many times 10 s. */
const TIMEOUTS_MIN = 10;
/** `WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR` in Temporal's API. */
const NON_DETERMINISTIC = 24;
/** `TIMEOUT_TYPE_START_TO_CLOSE`, likewise. */
const START_TO_CLOSE = 1;
const PAGE_EVENTS = 200;
const REASON = 'its history cannot be gone on with';

export function createRescue(options: {
  client: Client;
  account: string;
  messenger: Pick<Messenger, 'ensureSemaphore'>;
  log: Log;
}): Rescue {
  const { client, account, messenger, log } = options;
  const { namespace } = client.options;
  const service = client.workflowService;

  return {
    async look() {
      const query = `TaskQueue = '${taskQueues(account).home}' AND ExecutionStatus = 'Running'`;
      for await (const { workflowId, runId, type } of client.workflow.list({ query })) {
        try {
          if (await isStuck({ workflowId, runId })) await startOver({ workflowId, runId }, type);
        } catch (error) {
          log.warn({ workflowId, error: String(error) }, 'a workflow could not be looked at');
        }
      }
    },
  };

  async function isStuck(run: Run): Promise<boolean> {
    const { raw } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
    const task = raw.pendingWorkflowTask;
    if (!task) return false;
    const attempts = task.attempt ?? 0;
    let timeouts = 0;
    for await (const event of historyOf(run, 'from the end')) {
      // Signals that came since stand between the events of a task that is repeated.
      if (event.workflowTaskCompletedEventAttributes) return false;
      const { workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: timedOut } = event;
      // Only the first failure in a row is recorded.
      if (failed) return failed.cause === NON_DETERMINISTIC && attempts >= ATTEMPTS_MIN;
      // That a task waited for its worker says nothing of the task.
      if (timedOut?.timeoutType !== START_TO_CLOSE) continue;
      timeouts += 1;
      if (Math.max(timeouts, attempts) >= TIMEOUTS_MIN) return true;
    }
    return false;
  }

  async function startOver(run: Run, type: string): Promise<void> {
    log.error({ ...run, type }, `a workflow starts over: ${REASON}`);
    if (type === 'semaphore') {
      // Its successor reads from the ledger who holds a slot; to replay grants would hand out the same numbers twice.
      await client.workflow.getHandle(run.workflowId, run.runId).terminate(REASON);
      await messenger.ensureSemaphore();
      return;
    }
    // What was signalled to the run is signalled to it again, in its order. Two workers that see it reset it once.
    await service.resetWorkflowExecution({
      namespace,
      workflowExecution: run,
      reason: REASON,
      requestId: `start-over-${run.runId}`,
      workflowTaskFinishEventId: await firstTaskEnd(run),
    });
  }

  async function firstTaskEnd(run: Run) {
    for await (const event of historyOf(run, 'from the start')) {
      const isEnd = event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes;
      if (isEnd && event.eventId) return event.eventId;
    }
    throw new Error(`${run.workflowId} has no workflow task that ended`);
  }

  async function* historyOf(run: Run, way: 'from the start' | 'from the end') {
    let nextPageToken: Uint8Array | null | undefined;
    do {
      const request = { namespace, execution: run, maximumPageSize: PAGE_EVENTS, nextPageToken: nextPageToken ?? null };
      const page =
        way === 'from the start'
          ? await service.getWorkflowExecutionHistory(request)
          : await service.getWorkflowExecutionHistoryReverse(request);
      yield* page.history?.events ?? [];
      nextPageToken = page.nextPageToken;
    } while (nextPageToken?.length);
  }
}
