/** Processes of ours: keeps a child running, and ends what an earlier engine left behind, and only that. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, startMark } from '#scripts/live-process.mjs';

/** A process: its number, and when it began as the system tells it. */
export interface ProcessMark {
  pid: number;
  mark: string;
}

export interface KeeperOptions {
  start(): ChildProcess;
  /** Called in the same tick as each start and each end; must not throw. */
  onChange(process: ProcessMark | null): void;
  onDeath(how: string, restartInMs: number): void;
}

export interface Keeper {
  start(): void;
  /** Asks the child to end, kills it after the grace, and never starts it again. */
  stop(graceMs: number): Promise<void>;
  /** While it is being stopped: the child has this long from now on. */
  grant(graceMs: number): void;
  /** How often it had to be started again. */
  restarts(): number;
  /** Fulfilled at the first death. */
  firstDeath: Promise<string>;
}

const restartDelaysMs = [0, 1_000, 2_000, 5_000, 10_000];
/** A child that lived this long was sound: its next death counts as a first one. */
const soundAfterMs = 60_000;
/** What is killed and does not go within this time is not waited for. */
const killedWithinMs = 10_000;

/** Starts the child again when it dies, at first at once, then ever later. */
export function createKeeper(options: KeeperOptions): Keeper {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let killer: NodeJS.Timeout | undefined;
  let stopping = false;
  /** Set while a stop waits for the child. */
  let giveUp: (() => void) | undefined;
  let restarts = 0;
  let deathsInARow = 0;
  let reportDeath: (how: string) => void = () => undefined;
  const firstDeath = new Promise<string>((resolve) => {
    reportDeath = resolve;
  });

  function start(): void {
    const startedAtMs = Date.now();
    let mine: ChildProcess;
    try {
      mine = options.start();
    } catch (error) {
      // A full disk has no room for a log: that passes, like the death of a child.
      ended(startedAtMs, error instanceof Error ? error.message : String(error));
      return;
    }
    child = mine;
    const onEnd = (how: string) => {
      if (child !== mine) return;
      child = undefined;
      ended(startedAtMs, how);
    };
    mine.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
    mine.once('error', (error) => onEnd(error.message));
    options.onChange(markOf(mine.pid));
  }

  function ended(startedAtMs: number, how: string): void {
    reportDeath(how);
    if (!stopping) startLater(startedAtMs, how);
    options.onChange(null);
  }

  function startLater(startedAtMs: number, how: string): void {
    if (Date.now() - startedAtMs > soundAfterMs) deathsInARow = 0;
    const delayMs = restartDelaysMs[Math.min(deathsInARow, restartDelaysMs.length - 1)] ?? 0;
    deathsInARow++;
    timer = setTimeout(() => {
      restarts++;
      start();
    }, delayMs);
    options.onDeath(how, delayMs);
  }

  async function stop(graceMs: number): Promise<void> {
    stopping = true;
    clearTimeout(timer);
    const last = child;
    if (last === undefined) return;
    const gone = new Promise((resolve) => {
      last.once('exit', resolve);
      last.once('error', resolve);
    });
    last.kill('SIGTERM');
    const givenUp = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    grant(graceMs);
    await Promise.race([gone, givenUp]);
    clearTimeout(killer);
    giveUp = undefined;
  }

  function grant(graceMs: number): void {
    if (giveUp === undefined) return;
    clearTimeout(killer);
    killer = setTimeout(() => {
      child?.kill('SIGKILL');
      killer = setTimeout(() => giveUp?.(), killedWithinMs);
    }, graceMs);
  }

  return { start, stop, grant, restarts: () => restarts, firstDeath };
}

/** How long a worker has to end after its last word that it waits for the answer of a paid request. */
export const workerDrainMs = 30_000;
const serverStopMs = 5_000;
const forcedMs = 2_000;

/** The mark of a process of ours that has just begun; null when it is gone already. */
export function markOf(pid: number | undefined): ProcessMark | null {
  const mark = pid === undefined ? undefined : startMark(pid);
  return pid === undefined || mark === undefined ? null : { pid, mark };
}

export function lives(process: ProcessMark | null): boolean {
  return process !== null && isAlive(process.pid, process.mark);
}

/**
 * After a killed supervisor: the worker first, while it still has its server, then the server. A worker that does not
 * go may be waiting for an answer that is paid for: it is left to that, writes it into the ledger and ends by itself.
 * It can claim nothing more, and its server is gone. By force it is ended all the same.
 */
export async function endLeftovers(
  record: Record<'server' | 'worker', ProcessMark | null>,
  isForced = false,
): Promise<void> {
  if (isForced) await endProcess(record.worker, forcedMs);
  else if (record.worker !== null && signal(record.worker, 'SIGTERM')) await isGone(record.worker, workerDrainMs);
  await endProcess(record.server, serverStopMs);
}

/** Asks a process to end, waits, and kills it when it does not. */
export async function endProcess(process: ProcessMark | null, graceMs: number): Promise<void> {
  if (process === null || !signal(process, 'SIGTERM')) return;
  if (await isGone(process, graceMs)) return;
  signal(process, 'SIGKILL');
  await isGone(process, 5_000);
}

/** Waits until a process is gone; false when it still lives at the end. */
export async function isGone(process: ProcessMark, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(25)) {
    if (!lives(process)) return true;
  }
  return !lives(process);
}

function signal(target: ProcessMark, name: 'SIGTERM' | 'SIGKILL'): boolean {
  if (!lives(target)) return false;
  try {
    process.kill(target.pid, name);
    return true;
  } catch {
    return false;
  }
}
