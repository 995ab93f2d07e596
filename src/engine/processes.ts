/** Ends processes that an earlier engine left behind, and only those. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, startMark } from '../../scripts/lib/live-process.mjs';
import type { EngineRecord, ProcessMark } from './engine-record.js';

/** How long a worker may still finish the requests it has begun: an answer that nobody reads may cost money. */
export const workerDrainMs = 30_000;
const serverStopMs = 5_000;

/** The mark of a process of ours that has just begun; null when it is gone already. */
export function markOf(pid: number | undefined): ProcessMark | null {
  const mark = pid === undefined ? undefined : startMark(pid);
  return pid === undefined || mark === undefined ? null : { pid, mark };
}

export function lives(process: ProcessMark | null): boolean {
  return process !== null && isAlive(process.pid, process.mark);
}

/** After a killed supervisor: the worker first, while it still has its server, then the server. */
export async function endLeftovers(record: EngineRecord): Promise<void> {
  await endProcess(record.worker, workerDrainMs);
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
