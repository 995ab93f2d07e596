import { setTimeout as sleep } from 'node:timers/promises';
import type { Stand } from '../lib/stand.js';
import { engineState } from './engine.js';
import type { Lanes } from './lanes.js';
import type { Random } from './random.js';

const VICTIMS = [
  'worker',
  'worker',
  'worker',
  'server',
  'server',
  'server',
  'command line',
  'command line',
  'supervisor',
  'everything',
] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Killer {
  /** How often each was killed. */
  readonly kills: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

/** SIGKILLs one of the processes after every seeded wait, until it is stopped. */
export function startKiller(
  stand: Stand,
  lanes: Lanes,
  random: Random,
  { everyS, onKill }: { everyS: readonly [number, number]; onKill: (victim: Victim) => void },
): Killer {
  const kills: Record<string, number> = {};
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const waitMs = random.between(...everyS) * 1_000;
      const victim = random.pick(VICTIMS);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || !(await kill(stand, lanes, victim))) continue;
      kills[victim] = (kills[victim] ?? 0) + 1;
      onKill(victim);
    }
  };
  const ended = work();
  return {
    kills,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function kill(stand: Stand, lanes: Lanes, victim: Victim): Promise<boolean> {
  if (victim === 'command line') return lanes.killOne();
  const state = await engineState(stand);
  if (state === undefined) return false;
  const { worker, server, pid } = state;
  const pids = {
    worker: [worker.pid],
    server: [server.pid],
    supervisor: [pid],
    everything: [pid, server.pid, worker.pid],
  };
  const found = pids[victim].flatMap((one) => one ?? []);
  if (victim === 'everything') lanes.killOne();
  return found.map(killNow).some(Boolean);
}

function killNow(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
