import { type Dependencies, type Messenger, openDependencies, type Requests } from '../../activities/dependencies.js';
import { createActivities } from '../../activities/index.js';
import type { AccountSettings } from '../../src/contract/account.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { createSteadyClock } from '../../src/worker/clock.js';
import { EPOCH_MS, type Sim, type Worker } from '../engine/current.js';
import type { Disk } from './disk.js';
import { createMemoryStore, type StoreFaults } from './memory-store.js';
import { standbyOf } from './served-alone.js';

/** One process of the product's worker, made of its real activities: it dies, stops, and its clock jumps. */
export interface WorkerProcess extends Worker {
  kill(): void;
  /** Stops all of it for a while, as SIGSTOP or a closed lid does. */
  stop(forMs: number): void;
}

export interface WorkerParts {
  sim: Sim;
  settings: AccountSettings;
  disk: Disk;
  outputs: Disk;
  storeFaults: StoreFaults;
  transport: Dependencies['transport'];
  keyMark: Dependencies['keyMark'];
  downloader: Dependencies['downloader'];
  messenger: Messenger;
  onRpm(rpm: number): void;
  /** Where this process alone serves the account. */
  requests?: Requests;
  trace(who: string, what: string): void;
  /** How far the machine's wall clock is off, ms. */
  clockOffMs(): number;
  diesNow(): boolean;
  onDeath(): void;
}

export function startWorkerProcess(name: string, parts: WorkerParts): WorkerProcess {
  const { sim, settings, disk, outputs, storeFaults, trace } = parts;
  const { account } = settings;
  let isAlive = true;
  let stoppedUntilMs = 0;
  const wallMs = (): number => Math.floor(EPOCH_MS + sim.scheduler.now() + parts.clockOffMs());
  const log = (facts: Record<string, unknown>, message: string): void =>
    trace(name, `${message} ${JSON.stringify(facts)}`);
  const store = createMemoryStore('memory', disk, storeFaults);
  const clock = createSteadyClock(wallMs, () => sim.scheduler.now());
  const records = openAccountRecords(store, account);
  void records.home.latestCheckpoint().then((known) => {
    if (known) clock.notBefore(known.atMs);
  });
  const deps = openDependencies({
    settings,
    ...records,
    transport: parts.transport,
    ...(parts.requests
      ? { requests: parts.requests, standby: standbyOf(sim) }
      : { requests: { turn: async () => 0, leaves: () => undefined } }),
    keyMark: parts.keyMark,
    downloader: parts.downloader,
    openInput: () => {
      throw new Error('no row of the simulation has an input in a bucket');
    },
    isS3Reachable: false,
    openStore: (location) => createMemoryStore(location, outputs, storeFaults),
    messenger: parts.messenger,
    log: { info: log, warn: log, error: log },
    onCaps: ({ rpm }) => parts.onRpm(rpm),
    onAnswered: () => undefined,
    callers: { own: null, isGone: () => false },
    now: clock.now,
    monotonic: () => sim.scheduler.now(),
  });
  const stoppedForMs = (): number => Math.max(0, stoppedUntilMs - sim.scheduler.now());
  const kill = (): void => {
    if (!isAlive) return;
    isAlive = false;
    trace(name, 'killed');
    parts.onDeath();
  };
  return {
    name,
    isAlive: () => isAlive,
    diesNow() {
      if (isAlive && parts.diesNow()) kill();
      return !isAlive;
    },
    stoppedForMs,
    wallMs,
    canWork: () => isAlive && stoppedForMs() === 0,
    activities: createActivities(deps) as unknown as Worker['activities'],
    kill,
    stop(forMs) {
      stoppedUntilMs = Math.max(stoppedUntilMs, sim.scheduler.now() + forMs);
      trace(name, `stopped for ${Math.round(forMs / 1_000)} s`);
    },
  };
}
