import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { openStand } from './lib/stand.js';

/** How long `run` takes for a manifest whose every row is finished, and that it sends no paid request. */

const ROWS = 500;
const SPEED = 60;
const BOUND_S = 5;

export async function finished({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const stand = await openStand({ emulator: { plan: 'enterprise', speed: SPEED } });
  try {
    await writeFile(join(stand.folder, 'finished.csv'), imageManifest(ROWS));
    const first = await stand.callsheet('run', 'finished.csv', '--yes');
    say(`finished: the first run of ${ROWS} rows took ${first.seconds.toFixed(1)} s`);
    measures.add('first run', 's', first.seconds);
    const jobs = (await stand.truth()).jobs.length;
    for (let run = 1; run <= runs; run += 1) {
      const { seconds } = await stand.callsheet('run', 'finished.csv', '--yes');
      measures.add('the same run again', 's', seconds, BOUND_S);
      say(`finished ${run} of ${runs}: ${seconds.toFixed(2)} s`);
    }
    measures.add('paid requests of all runs again', '', (await stand.truth()).jobs.length - jobs, 0);
  } finally {
    await stand.close();
  }
  return {
    name: 'finished',
    settings: { rows: ROWS, timeScale: SPEED, plan: 'enterprise', server: 'embedded, SQLite file' },
    measures: measures.all(),
  };
}
