import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { startChild } from './lib/children.js';
import { benchFolder } from './lib/stand.js';

/**
 * What a download into the folder store takes against `curl` of the same URL to the same disk, by turns in the same
 * run: one large body, and eight at once. callsheet hashes and fsyncs what it writes; curl does neither.
 */

const LARGE_BYTES = 2 * 1024 ** 3;
const PARALLEL = 8;
const PARALLEL_BYTES = 128 * 1024 ** 2;
/** At least 80 % and 90 % of curl's throughput. */
const LARGE_RATIO_MAX = 1 / 0.8;
const PARALLEL_RATIO_MAX = 1 / 0.9;
const GROWTH_MAX_MB = 100;

const run = promisify(execFile);

export async function download({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const server = await startChild<{ url: string }>('body-process');
  try {
    for (let n = 1; n <= runs; n += 1) {
      const large = await compare(`${server.message.url}/${LARGE_BYTES}`, 1);
      measures.add('2 GB', 's', large.seconds);
      measures.add('2 GB, curl', 's', large.curlSeconds);
      measures.add('2 GB, time against curl', '', large.seconds / large.curlSeconds, LARGE_RATIO_MAX);
      measures.add('2 GB, growth of memory', 'MB', large.rssGrowthMb, GROWTH_MAX_MB);
      const many = await compare(`${server.message.url}/${PARALLEL_BYTES}`, PARALLEL);
      measures.add(`${PARALLEL} at once`, 's', many.seconds);
      measures.add(`${PARALLEL} at once, curl`, 's', many.curlSeconds);
      measures.add(`${PARALLEL} at once, time against curl`, '', many.seconds / many.curlSeconds, PARALLEL_RATIO_MAX);
      say(`download ${n} of ${runs}: ${large.seconds.toFixed(1)} s against ${large.curlSeconds.toFixed(1)} s`);
    }
  } finally {
    server.child.disconnect();
  }
  const settings = { largeBytes: LARGE_BYTES, parallel: PARALLEL, parallelBytes: PARALLEL_BYTES, store: 'folder' };
  return { name: 'download', settings, measures: measures.all() };
}

async function compare(url: string, times: number) {
  const folder = await benchFolder();
  try {
    const curlSeconds = await curl(url, join(folder, 'curl'), times);
    await rm(join(folder, 'curl'), { recursive: true });
    const own = join(folder, 'own');
    const { message } = await startChild<{ seconds: number; rssGrowthMb: number }>(
      'download-process',
      url,
      own,
      String(times),
    );
    return { curlSeconds, ...message };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function curl(url: string, folder: string, times: number): Promise<number> {
  await mkdir(folder, { recursive: true });
  const startedMs = performance.now();
  const targets = Array.from({ length: times }, (_, i) => join(folder, String(i)));
  await Promise.all(targets.map((target) => run('curl', ['-sS', '--fail', '-o', target, url])));
  return (performance.now() - startedMs) / 1_000;
}
