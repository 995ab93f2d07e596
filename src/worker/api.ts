import { setTimeout as sleep } from 'node:timers/promises';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.js';
import type { Log } from '../domain/log.js';
import type { WorkerPlace } from './options.js';
import type { RequestWindow } from './request-window.js';

/** Requests per minute kept free for the command line's own reads, where they are not counted at the send. */
const RPM_RESERVE = 4;
const RPM_RESERVE_COUNTED = 1;
/** A minute and a second, since the service's window and the server's differ. */
const RPM_WINDOW_S = 61;
const CHANGE_AGAIN_MS = 1_000;

/** The worker of the api queue: one HTTP request to the service per activity, at a rate that can change. */
export interface ApiWorker {
  ended: Promise<void>;
  setRpm(rpm: number): void;
  shutdown(): void;
}

/** A worker on a connection of its own: the SDK takes one of a queue on each. */
interface Connected {
  worker: Worker;
  connection: NativeConnection;
}

/** The api worker at a rate; a new rate starts a new worker at once, while the old one finishes what it has. */
export async function startApiWorker(
  place: WorkerPlace,
  base: WorkerOptions & { activities: Activities },
  { firstRpm, window, log }: { firstRpm: number; window: RequestWindow | undefined; log: Log },
): Promise<ApiWorker> {
  const reserve = window === undefined ? RPM_RESERVE : RPM_RESERVE_COUNTED;
  window?.setRpm(firstRpm);
  const create = async (rpm: number): Promise<Connected> => {
    const connection = await place.connect();
    const worker = await Worker.create({
      ...base,
      connection,
      maxTaskQueueActivitiesPerSecond: Math.max(1, rpm - reserve) / RPM_WINDOW_S,
      maxConcurrentActivityTaskExecutions: 200,
      maxConcurrentActivityTaskPolls: 10,
    });
    return { worker, connection };
  };
  let current = await create(firstRpm);
  let inForce = firstRpm;
  let wanted = firstRpm;
  let changing = false;
  let runs = 0;
  let stopping = false;
  let settle: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const run = ({ worker, connection }: Connected): void => {
    runs += 1;
    worker.run().then(async () => {
      await connection.close();
      runs -= 1;
      if (runs === 0) settle?.resolve();
    }, settle?.reject);
  };
  const change = async (rpm: number): Promise<void> => {
    const next = await create(rpm);
    const old = current;
    current = next;
    inForce = rpm;
    run(next);
    if (stopping) next.worker.shutdown();
    old.worker.shutdown();
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
  run(current);
  return {
    ended,
    setRpm(next) {
      if (next === wanted || stopping) return;
      log.info({ from: wanted, to: next }, 'requests per minute changed');
      wanted = next;
      window?.setRpm(next);
      void follow();
    },
    shutdown() {
      stopping = true;
      if (current.worker.getState() === 'RUNNING') current.worker.shutdown();
    },
  };
}
