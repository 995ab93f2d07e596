import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { TASK_QUEUE_TYPE } from '../contract/names.js';
import type { Log } from '../domain/log.js';
import type { WorkerPlace } from './options.js';
import type { RequestWindow } from './request-window.js';

/** Requests per minute kept free for the command line's own reads, where they are not counted at the send. */
const RPM_RESERVE = 4;
const RPM_RESERVE_COUNTED = 1;
/** A minute and a second, since the service's window and the server's differ. */
const RPM_WINDOW_S = 61;
const CHANGE_AGAIN_MS = 1_000;
/**
 * The rate is said again with a reading that comes so long after: a server that has lost its data has lost it as well, and
 * another worker of the account may have said what it knew before.
 */
const SAY_AGAIN_MS = 60_000;
/** Nobody waits longer for the server's word; another try begins then. */
const ANSWER_WITHIN_MS = 10_000;

/** The worker of the api queue: one HTTP request to the service per activity, at a rate that can change. */
export interface ApiWorker {
  ended: Promise<void>;
  setRpm(rpm: number): void;
  shutdown(): void;
}

/**
 * The rate is the queue's own and stands at the server, above what any worker says: in a worker it could only be changed
 * by another worker, and a task that is on its way to the one before is lost until its time-out.
 */
export async function startApiWorker(
  place: Pick<WorkerPlace, 'client' | 'namespace'>,
  options: WorkerOptions,
  { firstRpm, window, log }: { firstRpm: number; window: RequestWindow | undefined; log: Log },
): Promise<ApiWorker> {
  const reserve = window === undefined ? RPM_RESERVE : RPM_RESERVE_COUNTED;
  /** Null where it has to be said again. */
  let inForce: number | null = null;
  let saidAtMs = 0;
  let wanted = firstRpm;
  let changing = false;
  let stopping = false;
  const change = async (rpm: number): Promise<void> => {
    const requestsPerSecond = Math.max(1, rpm - reserve) / RPM_WINDOW_S;
    const { client, namespace } = place;
    await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      client.workflowService.updateTaskQueueConfig({
        namespace,
        taskQueue: options.taskQueue,
        taskQueueType: TASK_QUEUE_TYPE.activity,
        identity: client.options.identity,
        updateQueueRateLimit: { rateLimit: { requestsPerSecond }, reason: `${rpm} requests per minute` },
      }),
    );
    inForce = rpm;
    saidAtMs = performance.now();
  };
  /** One change at a time, the newest rate last. One that fails is tried again: the old rate may be a tenth of the plan's. */
  const follow = async (): Promise<void> => {
    if (changing) return;
    changing = true;
    while (inForce !== wanted && !stopping) {
      try {
        await change(wanted);
      } catch (error) {
        log.error({ rpm: wanted, error: String(error) }, 'the new rate could not be set; it is tried again');
        await sleep(CHANGE_AGAIN_MS, undefined, { ref: false });
      }
    }
    changing = false;
  };
  window?.setRpm(firstRpm);
  // Before the first task: without a rate of its own the queue has none.
  await change(firstRpm);
  const worker = await Worker.create({
    ...options,
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentActivityTaskPolls: 10,
  });
  return {
    ended: worker.run(),
    setRpm(next) {
      if (stopping) return;
      if (next !== wanted) log.info({ from: wanted, to: next }, 'requests per minute changed');
      wanted = next;
      window?.setRpm(next);
      if (performance.now() - saidAtMs > SAY_AGAIN_MS) inForce = null;
      void follow();
    },
    shutdown() {
      stopping = true;
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}
