import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { openStand } from './lib/stand.js';

/** Whether a batch whose books hold hundreds of thousands of charges comes to its end. Takes hours. */

const ROWS = 300_000;
/** Renders and waits of the service vanish beside the work of callsheet. */
const SPEED = 10_000;

export async function large({ rows = ROWS }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const stand = await openStand({
    emulator: { plan: 'enterprise', speed: SPEED, balanceCredits: '1000000' },
    limits: { rpm: 6_000_000, concurrent: 20 },
  });
  try {
    await writeFile(join(stand.folder, 'large.csv'), imageManifest(rows));
    const { seconds } = await stand.callsheet('run', 'large.csv', '--yes');
    measures.add('from the command to its end', 's', seconds);
    measures.add('jobs at the service beyond one a row', '', (await stand.truth()).jobs.length - rows, 0);
    say(`large: ${rows} rows ended after ${seconds.toFixed(0)} s`);
  } finally {
    await stand.close();
  }
  return {
    name: 'large',
    settings: { rows, timeScale: SPEED, plan: 'enterprise', server: 'embedded, SQLite file' },
    measures: measures.all(),
  };
}
