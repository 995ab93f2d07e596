import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Truth } from '../emulator/emulator.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { filmManifest, imageManifest } from './lib/manifests.js';
import { cpuSecondsOf, endedChildrenCpuSeconds, peakMbOf } from './lib/processes.js';
import { openStand, type Stand } from './lib/stand.js';
import { percentile } from './lib/statistics.js';
import { endOf, slotUseOf } from './lib/truth.js';
import { engineState } from './soak/engine.js';

/**
 * What a job costs and how well the slots are used, by three kinds of work: synchronous calls, renders that are polled,
 * and a service without delay, where the processor is the limit. Every instant is the service's own.
 */

type JobRecord = Truth['jobs'][number];

interface Workload {
  name: string;
  manifest: string;
  jobs: number;
  slots: number;
  rpm: number;
  speed: number;
  /** By the emulator's family, s of service time. */
  renderSeconds: Record<string, [number, number]>;
}

const RPM_UNBOUND = 20_000;

const WORKLOADS: readonly Workload[] = [
  {
    name: 'synchronous',
    manifest: imageManifest(200),
    jobs: 200,
    slots: 10,
    rpm: RPM_UNBOUND,
    speed: 1,
    renderSeconds: { 'svc/image': [3, 3] },
  },
  {
    name: 'polled',
    manifest: filmManifest(150),
    jobs: 150,
    slots: 10,
    rpm: RPM_UNBOUND,
    speed: 10,
    renderSeconds: { 'vendor-e': [60, 60] },
  },
  {
    name: 'no delay',
    manifest: imageManifest(300),
    jobs: 300,
    slots: 20,
    rpm: RPM_UNBOUND,
    speed: 1,
    renderSeconds: { 'svc/image': [0.05, 0.05] },
  },
];

export async function workloads({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (const workload of WORKLOADS) {
    for (let run = 1; run <= runs; run += 1) {
      const figures = await measure(workload);
      for (const [name, [value, unit]] of Object.entries(figures)) {
        measures.add(`${workload.name}: ${name}`, unit, value);
      }
      const [cpu] = figures['processor, all processes'] ?? [Number.NaN];
      say(`${workload.name} ${run} of ${runs}: ${cpu.toFixed(3)} CPU s a job`);
    }
  }
  const settings = WORKLOADS.map(({ name, jobs, slots, speed, renderSeconds }): [string, string] => {
    const seconds = Object.values(renderSeconds)[0]?.[0];
    return [name, `${jobs} jobs of ${seconds} s, ${slots} slots, speed ${speed}`];
  });
  return {
    name: 'workloads',
    settings: { ...Object.fromEntries(settings), rpm: RPM_UNBOUND, server: 'embedded, SQLite file' },
    measures: measures.all(),
  };
}

type Figures = Record<string, [value: number, unit: string]>;

async function measure({ manifest, jobs, slots, rpm, speed, renderSeconds }: Workload): Promise<Figures> {
  const stand = await openStand({
    emulator: { plan: 'enterprise', speed, renderSeconds },
    limits: { rpm, concurrent: slots },
  });
  try {
    await writeFile(join(stand.folder, 'work.csv'), manifest);
    const before = endedChildrenCpuSeconds();
    await stand.callsheet('run', 'work.csv', '--yes');
    const commandS = endedChildrenCpuSeconds() - before;
    return { ...timesOf(await stand.truth(), slots), ...(await costOf(stand, jobs, commandS)) };
  } finally {
    await stand.close();
  }
}

/** The k-th end frees the slot that the (k + slots)-th submit takes, both in the order of time. */
function timesOf({ jobs, requests }: Truth, slots: number): Figures {
  const starts = jobs.map(({ request }) => request.arrivedMs).sort((a, b) => a - b);
  const ends = jobs.map(endOf).sort((a, b) => a - b);
  const gapsMs = starts.slice(slots).map((start, k) => start - (ends[k] ?? Number.NaN));
  const wallMs = (ends.at(-1) ?? Number.NaN) - (starts[0] ?? Number.NaN);
  const isFetch = ({ path }: Truth['requests'][number]): boolean => path.startsWith('/outputs/');
  return {
    'slot use': [100 * slotUseOf(jobs, slots), '%'],
    'turn-over p50': [percentile(gapsMs, 0.5), 'ms'],
    'turn-over p99': [percentile(gapsMs, 0.99), 'ms'],
    'jobs per second': [(1_000 * jobs.length) / wallMs, '1/s'],
    'most in flight': [mostInFlight(jobs), 'jobs'],
    'requests, without downloads': [requests.filter((one) => !isFetch(one)).length / jobs.length, 'per job'],
  };
}

function mostInFlight(jobs: readonly JobRecord[]): number {
  const changes = jobs.flatMap((job) => [
    { atMs: job.request.arrivedMs, by: 1 },
    { atMs: endOf(job), by: -1 },
  ]);
  changes.sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  return changes.reduce((most, { by }) => {
    now += by;
    return Math.max(most, now);
  }, 0);
}

async function costOf(stand: Stand, jobs: number, commandS: number): Promise<Figures> {
  const state = await engineState(stand);
  if (state === undefined) throw new Error('the engine does not answer');
  const [supervisorS, serverS, workerS] = await Promise.all(
    [state.pid, state.server.pid, state.worker.pid].map((pid) => cpuSecondsOf(pid)),
  );
  const [serverMb, workerMb] = await Promise.all([state.server.pid, state.worker.pid].map((pid) => peakMbOf(pid)));
  const parts = [commandS, supervisorS, serverS, workerS].map((seconds) => (seconds ?? Number.NaN) / jobs);
  const [command = Number.NaN, supervisor = Number.NaN, server = Number.NaN, worker = Number.NaN] = parts;
  const database = await stat(join(stand.folder, 'data', 'temporal.db'));
  return {
    'processor, all processes': [command + supervisor + server + worker, 'CPU s per job'],
    'processor, server': [server, 'CPU s per job'],
    'processor, worker': [worker, 'CPU s per job'],
    'processor, command line': [command, 'CPU s per job'],
    database: [database.size / 2 ** 20 / jobs, 'MB per job'],
    'memory, server, most': [serverMb ?? Number.NaN, 'MB'],
    'memory, worker, most': [workerMb ?? Number.NaN, 'MB'],
  };
}
