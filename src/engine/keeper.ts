/** Keeps one child process running: starts it again when it dies, at first at once, then ever later. */
import type { ChildProcess } from 'node:child_process';
import type { ProcessMark } from './engine-record.js';
import { markOf } from './processes.js';

export interface KeeperOptions {
  start(): ChildProcess;
  /** Called in the same tick as each start and each end. */
  onChange(process: ProcessMark | null): void;
  onDeath(how: string, restartInMs: number): void;
}

export interface Keeper {
  start(): void;
  /** Asks the child to end, kills it after the grace, and never starts it again. */
  stop(graceMs: number): Promise<void>;
  /** How often it had to be started again. */
  restarts(): number;
  /** Fulfilled at the first death. */
  firstDeath: Promise<string>;
}

const restartDelaysMs = [0, 1_000, 2_000, 5_000, 10_000];
/** A child that lived this long was sound: its next death counts as a first one. */
const soundAfterMs = 60_000;

export function createKeeper(options: KeeperOptions): Keeper {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let restarts = 0;
  let deathsInARow = 0;
  let reportDeath: (how: string) => void = () => undefined;
  const firstDeath = new Promise<string>((resolve) => {
    reportDeath = resolve;
  });

  function start(): void {
    const startedAtMs = Date.now();
    const mine = options.start();
    child = mine;
    options.onChange(markOf(mine.pid));
    const onEnd = (how: string) => {
      if (child !== mine) return;
      child = undefined;
      options.onChange(null);
      reportDeath(how);
      if (stopping) return;
      if (Date.now() - startedAtMs > soundAfterMs) deathsInARow = 0;
      const delayMs = restartDelaysMs[Math.min(deathsInARow, restartDelaysMs.length - 1)] ?? 0;
      deathsInARow++;
      options.onDeath(how, delayMs);
      timer = setTimeout(() => {
        restarts++;
        start();
      }, delayMs);
    };
    mine.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
    mine.once('error', (error) => onEnd(error.message));
  }

  async function stop(graceMs: number): Promise<void> {
    stopping = true;
    clearTimeout(timer);
    const last = child;
    if (last === undefined) return;
    const ended = new Promise((resolve) => last.once('exit', resolve));
    last.kill('SIGTERM');
    const killer = setTimeout(() => last.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(killer);
  }

  return { start, stop, restarts: () => restarts, firstDeath };
}
