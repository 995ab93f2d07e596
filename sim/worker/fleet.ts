import type { Sim } from '../engine/current.js';
import type { Scenario } from '../scenario.js';
import { countRequests } from './served-alone.js';
import type { WorkerParts, WorkerProcess } from './worker-process.js';
import { startWorkerProcess } from './worker-process.js';

/** The worker processes of a seed: killed, stopped, started again, their clocks set. */
export interface Fleet {
  workers(): readonly WorkerProcess[];
  /** Kills all of them, as when the machine of the embedded engine goes. */
  killAll(): void;
}

/** How likely a process dies at any single step of its work. */
const DEATH_AT_STEP = 0.0015;
const HOUR_MS = 3_600_000;
/** Between two batches nothing is stopped; it is looked again after this. */
const QUIET_STEP_MS = 300_000;

type Given = Omit<WorkerParts, 'clockOffMs' | 'diesNow' | 'onDeath' | 'requests'>;

export function startFleet(sim: Sim, scenario: Scenario, parts: Given): Fleet {
  const random = sim.random.fork('fleet');
  const { faults, faultsEndMs, broken } = scenario;
  const { scheduler } = sim;
  let workers: WorkerProcess[] = [];
  let started = 0;
  let clockOffMs = 0;
  const faultsAreOn = (): boolean => scenario.isTroubled(scheduler.now());

  let rpm = 60;
  const requests = countRequests(sim, () => rpm);
  const start = (): void => {
    started += 1;
    const worker = startWorkerProcess(`worker-${started}`, {
      ...parts,
      ...(faults.twoWorkers > 0 ? {} : { requests }),
      onRpm: (now) => {
        rpm = now;
        parts.onRpm(now);
      },
      clockOffMs: () => clockOffMs,
      diesNow: () => faults.crash > 0 && faultsAreOn() && random.chance(DEATH_AT_STEP),
      onDeath: () => {
        workers = workers.filter((one) => one !== worker);
        scheduler.after(random.between(500, 20_000), start);
      },
    });
    workers = [...workers, worker];
  };
  start();
  if (faults.twoWorkers > 0) start();
  if (faults.stop > 0) stopNowAndThen();
  if (broken === 'clock') {
    scheduler.after(random.between(0, faultsEndMs), () => {
      clockOffMs = random.pick([-1, 1]) * HOUR_MS;
    });
  }
  return {
    workers: () => workers,
    killAll: () => {
      for (const worker of [...workers]) worker.kill();
    },
  };

  function stopNowAndThen(): void {
    scheduler.after(random.between(20_000, 300_000), () => {
      if (scheduler.now() > faultsEndMs) return;
      if (!faultsAreOn()) {
        scheduler.after(QUIET_STEP_MS, stopNowAndThen);
        return;
      }
      const worker = workers[random.int(0, workers.length - 1)];
      worker?.stop(random.between(3_000, random.chance(0.3) ? 400_000 : 40_000));
      stopNowAndThen();
    });
  }
}
