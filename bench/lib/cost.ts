import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { engineState } from '../soak/engine.js';
import type { Figures } from './bench.js';
import { cpuSecondsOf, peakMbOf } from './processes.js';
import type { Stand } from './stand.js';

/** What a run of callsheet has cost, by process; read before its engine stops. */

/** `commandS` is the processor time of the command line, s. */
export async function costOf(stand: Stand, jobs: number, commandS: number): Promise<Figures> {
  const state = await engineState(stand);
  if (state === undefined) throw new Error('the engine does not answer');
  const [supervisorS = NaN, serverS = NaN, workerS = NaN] = await Promise.all(
    [state.pid, state.server.pid, state.worker.pid].map((pid) => cpuSecondsOf(pid)),
  );
  const [supervisorMb = NaN, serverMb = NaN, workerMb = NaN] = await Promise.all(
    [state.pid, state.server.pid, state.worker.pid].map((pid) => peakMbOf(pid)),
  );
  const database = await stat(join(stand.folder, 'data', 'temporal.db'));
  return {
    'processor, all processes': [(commandS + supervisorS + serverS + workerS) / jobs, 'CPU s per job'],
    'processor, server': [serverS / jobs, 'CPU s per job'],
    'processor, worker': [workerS / jobs, 'CPU s per job'],
    'processor, command line': [commandS / jobs, 'CPU s per job'],
    database: [database.size / 2 ** 20 / jobs, 'MB per job'],
    'memory, server, most': [serverMb, 'MB'],
    'memory, worker, most': [workerMb, 'MB'],
    'memory, engine, most': [supervisorMb + serverMb + workerMb, 'MB'],
    ...(await historyOf(state.address ?? '', jobs)),
  };
}

/** The events of all histories, and the part of them that are not the jobs' own. */
async function historyOf(address: string, jobs: number): Promise<Figures> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    let [all, own] = [0, 0];
    for await (const { workflowId, runId, type, historyLength } of workflow.list()) {
      // The list tells the length of those alone that have ended.
      const events = historyLength || (await workflow.getHandle(workflowId, runId).describe()).historyLength;
      all += events;
      if (type === 'job') own += events;
    }
    return {
      'history events': [all / jobs, 'per job'],
      'history events, of batch and semaphore': [(all - own) / jobs, 'per job'],
    };
  } finally {
    await connection.close();
  }
}
