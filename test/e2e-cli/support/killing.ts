// SIGKILL in the middle of a batch, and what must hold of it afterwards.
import { expect } from 'vitest';
import type { EngineState } from '../../../src/engine/engine-status.js';
import { expectHonestEnd, finishedIds, paidRequests, rowsWithHandle } from './evidence.js';
import { rowOf } from './manifest.js';
import { type Rig, type Running, until } from './rig.js';

/** Renders that last long enough for a kill, or an order on a busy machine, to meet jobs in every state. */
export const SLOW_RENDERS = {
  renderSeconds: { 'vendor-f': [900, 1_500], 'vendor-b': [700, 1_100], 'svc/image': [50, 150] },
} as const;

/** What was known when something was killed. */
export interface Cut {
  atMs: number;
  finished: ReadonlySet<string>;
  withHandle: readonly string[];
}

/** Waits until so many rows have ended while several jobs render whose handles are on record. */
export function untilBusy(rig: Rig, batch: string, finishedMin: number): Promise<true> {
  return until(`${finishedMin} rows have ended and three jobs render`, () => {
    const rendering = rig.emulator
      .truth()
      .jobs.filter(({ terminalMs, polls }) => terminalMs === undefined && polls > 0);
    return rendering.length >= 3 && finishedIds(rig, batch).length >= finishedMin ? true : undefined;
  });
}

export async function engineOf(rig: Rig): Promise<EngineState> {
  return until('the engine says its processes', async () => {
    const state = await rig.engine();
    return state?.server.pid == null || state.worker.pid === null ? undefined : state;
  });
}

/** Kills processes at once; what was on record before the first of them died is what may not be asked for again. */
export function kill(rig: Rig, batch: string, pids: readonly (number | null | undefined)[]): Cut {
  const cut = {
    finished: new Set(finishedIds(rig, batch)),
    withHandle: rowsWithHandle(rig, batch),
    atMs: rig.emulator.truth().nowMs,
  };
  for (const pid of pids) {
    if (pid == null) throw new Error('a process to kill is not there');
    process.kill(pid, 'SIGKILL');
  }
  return cut;
}

export async function killTogether(rig: Rig, batch: string, running: Running): Promise<Cut> {
  const { pid, server, worker } = await engineOf(rig);
  const cut = kill(rig, batch, [running.child.pid, pid, server.pid, worker.pid]);
  await running.ended;
  return cut;
}

/** After the end: all of it once, nothing of it twice, and the same command again finds nothing to do. */
export async function expectWhole(
  rig: Rig,
  batch: string,
  ids: readonly string[],
  cuts: readonly Cut[],
): Promise<void> {
  const rows = expectHonestEnd(rig, batch, ids);
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  for (const { atMs, finished, withHandle } of cuts) {
    const asked = rig.emulator.truth().requests.filter(({ arrivedMs }) => arrivedMs > atMs);
    const jobs = new Map(rig.emulator.truth().jobs.map((job) => [job.id, rowOf(job)]));
    const again = asked.flatMap(({ jobId, path }) => {
      const row = jobId === undefined ? undefined : jobs.get(jobId);
      return row !== undefined && finished.has(row) ? [`${row} ${path.slice(0, 60)}`] : [];
    });
    expect(again, 'requests for rows that had ended').toEqual([]);
    expect(withHandle.map((id) => `${id} ${statuses.get(id)}`)).toEqual(withHandle.map((id) => `${id} done`));
  }
  const { account, jobs } = rig.emulator.truth();
  expect(account.maxima.jobsAtOnce).toBeLessThanOrEqual(account.caps.concurrent);
  expect(new Set(jobs.map(rowOf)).size).toBe(ids.length);
  const before = paidRequests(rig.emulator.truth());
  const again = await rig.run(['run', `${batch}.csv`, '--yes']);
  expect(again.code, again.stderr).toBe(rows.every(({ status }) => status === 'done') ? 0 : 3);
  expect(paidRequests(rig.emulator.truth())).toBe(before);
}
