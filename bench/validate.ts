import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { freshCheck } from './lib/fresh-check.js';
import { imageManifest } from './lib/manifests.js';
import { benchFolder } from './lib/stand.js';

/** How long the check of a whole manifest takes, and by how much the memory grows. */

const SIZES = [
  { rows: 10_000, boundSeconds: 3 },
  { rows: 100_000, boundSeconds: undefined },
];

export async function validate({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const folder = await benchFolder();
  try {
    for (const { rows, boundSeconds } of SIZES) {
      const path = join(folder, `rows-${rows}.csv`);
      await writeFile(path, imageManifest(rows));
      for (let run = 1; run <= runs; run += 1) {
        const { seconds, rssGrowthMb } = await freshCheck(path, rows);
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
