import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Stand } from '../lib/stand.js';
import { engineState } from './engine.js';

/** The state of the machine at one moment; what could not be seen, as during a restart, is left out. */
export interface Sample {
  /** Seconds since the soak began. */
  atS: number;
  openWorkflows?: number;
  workerMb?: number;
  serverMb?: number;
  /** The Temporal server's database. */
  databaseMb?: number;
}

export interface Sampler {
  readonly samples: readonly Sample[];
  stop(): Promise<void>;
}

export function startSampler(stand: Stand, everyS: number): Sampler {
  const samples: Sample[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const startedMs = performance.now();
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(everyS * 1_000, undefined, { signal }).catch(() => undefined);
      samples.push(await takeSample(stand, Math.round((performance.now() - startedMs) / 1_000)));
    }
  };
  const ended = work();
  return {
    samples,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Open workflows now; undefined where the server does not answer. */
export async function openWorkflows(address: string): Promise<number | undefined> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 2_000 });
    try {
      const { count } = await new Client({ connection }).workflow.count("ExecutionStatus = 'Running'");
      return count;
    } finally {
      await connection.close();
    }
  } catch {
    return undefined;
  }
}

async function takeSample(stand: Stand, atS: number): Promise<Sample> {
  const state = await engineState(stand);
  const sample: Sample = { atS };
  const open = state?.address ? await openWorkflows(state.address) : undefined;
  if (open !== undefined) sample.openWorkflows = open;
  const workerMb = await residentMb(state?.worker.pid);
  if (workerMb !== undefined) sample.workerMb = workerMb;
  const serverMb = await residentMb(state?.server.pid);
  if (serverMb !== undefined) sample.serverMb = serverMb;
  const database = await stat(join(stand.folder, 'data', 'temporal.db')).catch(() => undefined);
  if (database !== undefined) sample.databaseMb = Math.round(database.size / 2 ** 20);
  return sample;
}

/** Linux alone tells the memory of another process in a file. */
async function residentMb(pid: number | null | undefined): Promise<number | undefined> {
  if (pid == null) return undefined;
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  return kb === undefined ? undefined : Math.round(Number(kb) / 1_024);
}
