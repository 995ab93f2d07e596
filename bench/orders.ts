import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { openStand, type Stand } from './lib/stand.js';

/** How soon `pause` and `cancel` take effect in a large batch that runs, by the service's own records. */

const ROWS = 100_000;
const SPEED = 10;
/** The batch is well under way. */
const SUBMITTED = 60;
/** What still left after an order has arrived by then. */
const AFTERMATH_MS = 20_000;
const EFFECT_BOUND_MS = 1_000;
const COMMAND_BOUND_S = 15;

export async function orders({ runs, rows = ROWS }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (let run = 1; run <= runs; run += 1) {
    const stand = await openStand({ emulator: { plan: 'enterprise', speed: SPEED, balanceCredits: '100000' } });
    try {
      await writeFile(join(stand.folder, 'large.csv'), imageManifest(rows));
      const running = stand.start('run', 'large.csv', '--yes', '--json');
      running.stdout?.resume();
      running.stderr?.resume();
      const ended = once(running, 'close');
      for (const order of ['pause', 'cancel']) {
        const { lateMs, seconds } = await give(stand, order);
        measures.add(`${order}: last submit after the command began`, 'ms', lateMs, EFFECT_BOUND_MS);
        measures.add(`${order}: the command`, 's', seconds, COMMAND_BOUND_S);
        say(`${order} ${run} of ${runs}: ${seconds.toFixed(1)} s, last submit after ${lateMs.toFixed(0)} ms`);
        if (order === 'pause') await stand.callsheet('resume', 'large');
      }
      await ended;
    } finally {
      await stand.close();
    }
  }
  return {
    name: 'orders',
    settings: { rows, timeScale: SPEED, plan: 'enterprise', server: 'embedded, SQLite file' },
    measures: measures.all(),
  };
}

/** Waits until the batch submits, and gives the order; the command fails where it does not end with 0. */
async function give(stand: Stand, order: string): Promise<{ lateMs: number; seconds: number }> {
  const before = (await submits(stand)).length;
  while ((await submits(stand)).length < before + SUBMITTED) await sleep(500);
  const beganMs = Date.now();
  const { seconds } = await stand.callsheet(order, 'large');
  await sleep(AFTERMATH_MS);
  const lastMs = Math.max(...(await submits(stand)));
  return { lateMs: Math.max(0, lastMs - beganMs), seconds };
}

/** When each paid request arrived, as Unix milliseconds. */
async function submits(stand: Stand): Promise<number[]> {
  const { requests } = await stand.truth();
  return requests.filter(({ method }) => method === 'POST').map(({ arrivedMs }) => arrivedMs);
}
