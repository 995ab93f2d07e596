/** Ends processes that an earlier engine left behind, and only those. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, startMark } from '#scripts/live-process.mjs';
import type { EngineRecord, ProcessMark } from './engine-record.js';

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
export async function endLeftovers(record: EngineRecord, isForced = false): Promise<void> {
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
