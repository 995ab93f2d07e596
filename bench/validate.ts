import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { benchFolder } from './lib/stand.js';

/** How long the check of a whole manifest takes, and by how much the memory grows. */

const SIZES = [
  { rows: 10_000, boundSeconds: 3 },
  { rows: 100_000, boundSeconds: undefined },
];
const entry = fileURLToPath(new URL('./children/validate-process.ts', import.meta.url));

interface Checked {
  seconds: number;
  rssGrowthMb: number;
  rows: number;
  problemCount: number;
}

export async function validate({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const folder = await benchFolder();
  try {
    for (const { rows, boundSeconds } of SIZES) {
      const path = join(folder, `rows-${rows}.csv`);
      await writeFile(path, imageManifest(rows));
      for (let run = 1; run <= runs; run += 1) {
        const { seconds, rssGrowthMb } = await check(path, rows);
        measures.add(`${rows} rows`, 's', seconds, boundSeconds);
        measures.add(`${rows} rows, growth of memory`, 'MB', rssGrowthMb);
        say(`validate ${run} of ${runs}: ${rows} rows in ${seconds.toFixed(2)} s`);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { name: 'validate', settings: { rows: 'svc/image, six columns, CSV' }, measures: measures.all() };
}

async function check(path: string, rows: number): Promise<Checked> {
  const child = fork(entry, [path], { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit');
  const [message] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the check ended with ${code} and said nothing`))),
  ]);
  await ended;
  const checked = message as Checked;
  if (checked.rows !== rows || checked.problemCount > 0) throw new Error('the manifest of the benchmark is not valid');
  return checked;
}
