import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Truth } from '../emulator/emulator.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { openStand } from './lib/stand.js';
import { percentile } from './lib/statistics.js';

/**
 * How long a freed slot stays empty: from the moment at which the service has answered to the moment at which the
 * next submit arrives there. Both instants are the service's own.
 */

const RENDER_S = 3;
const RPM = 600;
const BOUND_P50_MS = 60;
const BOUND_P99_MS = 400;
const SUBMIT_PATH = '/v1/images/generations';

export async function turnover({ runs, slots = 10, jobs = 15 * slots + 10 }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (let run = 1; run <= runs; run += 1) {
    const found = readTurnover(await runJobs(slots, jobs), slots);
    const p50 = percentile(found.gapsMs, 0.5);
    const p99 = percentile(found.gapsMs, 0.99);
    measures.add('answered → next submit, p50', 'ms', p50, BOUND_P50_MS);
    measures.add('answered → next submit, p99', 'ms', p99, BOUND_P99_MS);
    measures.add('slot use', '%', found.slotUse * 100);
    say(`turnover ${run} of ${runs}: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${found.gapsMs.length} gaps`);
  }
  return {
    name: slots === 1 ? 'turnover-1-slot' : `turnover-${slots}-slots`,
    settings: { slots, rpm: RPM, 'render seconds': RENDER_S, jobs, timeScale: 1, server: 'embedded, SQLite file' },
    measures: measures.all(),
  };
}

async function runJobs(slots: number, jobs: number): Promise<Truth> {
  const stand = await openStand({
    emulator: { plan: 'enterprise', speed: 1, renderSeconds: { 'svc/image': [RENDER_S, RENDER_S] } },
    limits: { rpm: RPM, concurrent: slots },
  });
  try {
    await writeFile(join(stand.folder, 'turnover.csv'), imageManifest(jobs));
    await stand.callsheet('run', 'turnover.csv', '--yes');
    return await stand.truth();
  } finally {
    await stand.close();
  }
}

/** The k-th end frees the slot that the (k + slots)-th submit takes, both in the order of time. */
function readTurnover(truth: Truth, slots: number): { gapsMs: number[]; slotUse: number } {
  const submits = truth.requests.filter(({ method, path }) => method === 'POST' && path === SUBMIT_PATH);
  const refused = submits.filter(({ status }) => status !== 200).length;
  if (refused > 0) throw new Error(`${refused} submits were not answered with 200: the slots were not turned over`);
  const arrivals = submits.map(({ arrivedMs }) => arrivedMs).sort((a, b) => a - b);
  const ends = submits.map(({ arrivedMs, endedMs = arrivedMs }) => endedMs).sort((a, b) => a - b);
  const gapsMs = arrivals.slice(slots).map((arrival, k) => arrival - (ends[k] ?? Number.NaN));
  const busyMs = submits.reduce((sum, { arrivedMs, endedMs = arrivedMs }) => sum + endedMs - arrivedMs, 0);
  const wallMs = (ends.at(-1) ?? 0) - (arrivals[0] ?? 0);
  return { gapsMs, slotUse: busyMs / (slots * wallMs) };
}
