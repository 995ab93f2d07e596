import { Client, Connection } from '@temporalio/client';
import { engineState } from '../soak/engine.js';
import type { Figures } from './bench.js';
import { cpuSecondsOf, peakMbOf, writtenMbOf } from './processes.js';
import type { Stand } from './stand.js';

/** What a run of callsheet has cost, by process; read before its engine stops. */

/** What the command line has cost: processor time in s, the most memory in MB. */
export interface CommandCost {
  seconds: number;
  peakMb: number;
}

export async function costOf(stand: Stand, jobs: number, command: CommandCost): Promise<Figures> {
  const state = await engineState(stand);
  if (state === undefined) throw new Error('the engine does not answer');
  const [serverS = NaN, workerS = NaN] = await Promise.all(
    [state.server.pid, state.worker.pid].map((pid) => cpuSecondsOf(pid)),
  );
  // Server and worker are its own.
  const engineS = await cpuSecondsOf(state.pid);
  const [supervisorMb = NaN, serverMb = NaN, workerMb = NaN] = await Promise.all(
    [state.pid, state.server.pid, state.worker.pid].map((pid) => peakMbOf(pid)),
  );
  return {
    'processor, all processes': [(command.seconds + engineS) / jobs, 'CPU s per job'],
    'processor, server': [serverS / jobs, 'CPU s per job'],
    'processor, worker': [workerS / jobs, 'CPU s per job'],
    'processor, command line': [command.seconds / jobs, 'CPU s per job'],
    'written by the server': [(await writtenMbOf(state.server.pid)) / jobs, 'MB per job'],
    'memory, server, most': [serverMb, 'MB'],
    'memory, worker, most': [workerMb, 'MB'],
    'memory, all processes, most': [command.peakMb + supervisorMb + serverMb + workerMb, 'MB'],
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
