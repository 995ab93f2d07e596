import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { peakMbOf } from './lib/processes.js';
import { openStand } from './lib/stand.js';
import { secondsUntil } from './lib/until.js';
import { engineState } from './soak/engine.js';

/**
 * Whether a batch whose books hold hundreds of thousands of charges comes to its end, and goes on soon after its engine
 * was stopped half way. Takes hours.
 */

const ROWS = 300_000;
/** Renders and waits of the service vanish beside the work of callsheet. */
const SPEED = 10_000;
const FIRST_SUBMIT_MAX_S = 600;
/** A row takes less, s. */
const ROW_MAX_S = 1;

export async function large({ rows = ROWS }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const stand = await openStand({
    emulator: { plan: 'enterprise', speed: SPEED, balanceCredits: '1000000' },
    limits: { rpm: 6_000_000, concurrent: 20 },
  });
  try {
    await writeFile(join(stand.folder, 'large.csv'), imageManifest(rows));
    const startedMs = performance.now();
    const first = stand.start('run', 'large.csv', '--yes');
    first.stdout?.resume();
    first.stderr?.resume();
    const firstEnded = once(first, 'close');
    const tooSoon = firstEnded.then(() => Promise.reject(new Error('`run` ended before the half was done')));
    const untilJobs = (least: number, giveUpS: number) =>
      secondsUntil(async () => (await stand.jobCount()) >= least, giveUpS);
    const beganS = await Promise.race([untilJobs(1, FIRST_SUBMIT_MAX_S), tooSoon]);
    measures.add('from the command to the first submit', 's', beganS);
    await Promise.race([untilJobs(rows / 2, rows * ROW_MAX_S), tooSoon]);
    tooSoon.catch(() => undefined);
    await stand.callsheet('engine', 'stop');
    await firstEnded;
    const half = await stand.jobCount();
    if (half >= rows) throw new Error('nothing was left when the engine had stopped: more rows are needed');
    const rest = stand.callsheet('run', 'large.csv', '--yes');
    const again = untilJobs(half + 1, FIRST_SUBMIT_MAX_S);
    const againS = await Promise.race([again, rest.then(() => again)]);
    measures.add('stopped half way, from the command to the next submit', 's', againS);
    await rest;
    const seconds = (performance.now() - startedMs) / 1_000;
    measures.add('from the first command to the end', 's', seconds);
    measures.add('jobs at the service beyond one a row', '', (await stand.jobCount()) - rows, 0);
    const state = await engineState(stand);
    for (const name of ['worker', 'server'] as const)
      measures.add(`memory of the ${name} in the second half, most`, 'MB', await peakMbOf(state?.[name].pid ?? null));
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
