import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.js';
import type { Log } from '../domain/log.js';
import type { WorkerPlace } from './options.js';
import type { RequestWindow } from './request-window.js';

/** Requests per minute kept free for the command line's own reads, where they are not counted at the send. */
const RPM_RESERVE = 4;
const RPM_RESERVE_COUNTED = 1;
/** A minute and a second, since the service's window and the server's differ. */
const RPM_WINDOW_S = 61;

/** The worker of the api queue: one HTTP request to the service per activity, at a rate that can change. */
export interface ApiWorker {
  ended: Promise<void>;
  setRpm(rpm: number): void;
  shutdown(): void;
}

/** The api worker at a rate; a new rate starts a new worker at once, while the old one finishes what it has. */
export async function startApiWorker(
  place: WorkerPlace,
  base: WorkerOptions & { activities: Activities },
  { firstRpm, window, log }: { firstRpm: number; window: RequestWindow | undefined; log: Log },
): Promise<ApiWorker> {
  const reserve = window === undefined ? RPM_RESERVE : RPM_RESERVE_COUNTED;
  window?.setRpm(firstRpm);
  const create = async (rpm: number): Promise<Worker> =>
    Worker.create({
      ...base,
      connection: await place.connect(),
      maxTaskQueueActivitiesPerSecond: Math.max(1, rpm - reserve) / RPM_WINDOW_S,
      maxConcurrentActivityTaskExecutions: 200,
      maxConcurrentActivityTaskPolls: 10,
    });
  let rpm = firstRpm;
  let current = await create(rpm);
  let runs = 0;
  let stopping = false;
  let settle: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const run = (worker: Worker): void => {
    runs += 1;
    worker.run().then(() => {
      runs -= 1;
      if (runs === 0) settle?.resolve();
    }, settle?.reject);
  };
  const change = async (next: number): Promise<void> => {
    const old = current;
    current = await create(next);
    run(current);
    if (stopping) current.shutdown();
    old.shutdown();
  };
  run(current);
  return {
    ended,
    setRpm(next) {
      if (next === rpm || stopping) return;
      log.info({ from: rpm, to: next }, 'requests per minute changed');
      rpm = next;
      window?.setRpm(next);
      change(next).catch((error) => log.error({ error: String(error) }, 'the new rate could not be set'));
    },
    shutdown() {
      stopping = true;
      if (current.getState() === 'RUNNING') current.shutdown();
    },
  };
}
