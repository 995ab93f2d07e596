import type { Requests, Standby } from '../../activities/dependencies.js';
import { createStandby } from '../../src/worker/standby.js';
import { hostPromise, inHost, type Sim } from '../engine/current.js';

/** The product's window of requests, and the one that it keeps free. */
const WINDOW_MS = 61_000;
const RESERVE = 1;

/** Requests counted at the send, as by the only worker of an account; what was sent survives its processes. */
export function countRequests({ scheduler }: Sim, rpm: () => number): Requests {
  let sent: number[] = [];
  return {
    async turn(patienceMs) {
      const nowMs = scheduler.now();
      sent = sent.filter((one) => one > nowMs - WINDOW_MS);
      const before = sent.at(-Math.max(1, rpm() - RESERVE));
      const dueMs = before === undefined ? nowMs : Math.max(nowMs, before + WINDOW_MS);
      if (dueMs - nowMs > patienceMs) return dueMs - nowMs;
      sent = [...sent, dueMs].sort((a, b) => a - b);
      if (dueMs > nowMs) await inHost(dueMs - nowMs, () => undefined);
      return 0;
    },
    leaves: () => undefined,
  };
}

/** Grants within one process; the submit that takes one goes on in its own name. */
export function standbyOf({ scheduler }: Sim): Standby {
  const standby = createStandby(() => scheduler.now());
  return {
    ...standby,
    wait(job, ms) {
      const { promise, arriveAfter } = hostPromise<Awaited<ReturnType<Standby['wait']>>>();
      void standby.wait(job, ms).then((word) => arriveAfter(0, () => word));
      return promise;
    },
  };
}
