import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePng } from '../emulator/media/media-png.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { freshCheck } from './lib/fresh-check.js';
import { chainManifest, type Feed, imageManifest } from './lib/manifests.js';
import { peakMbOf } from './lib/processes.js';
import { benchFolder, openStand, type Stand } from './lib/stand.js';
import { slotUseOf } from './lib/truth.js';
import { engineState } from './soak/engine.js';

/** What it costs that rows feed rows: chains of three beside the same rows with a file in the place of each reference. */

const FEEDS = { alone: 'file', chained: 'row' } as const;

const SLOTS = 10;
/** Faster, two cores spend a good part of a film's time on all that surrounds it: that is not what is looked at. */
const SPEED = 5;
const RPM_UNBOUND = 20_000;
const FILM_CHAINS = 300;
/** A still of 3 s, then two films of 60 s. */
const FILMS = ['svc/image', 'vendor-a/image2video', 'vendor-a/image2video'] as const;
const RENDER_SECONDS: Record<string, [number, number]> = { 'svc/image': [3, 3], 'vendor-a': [60, 60] };
/** Percentage points of slot use. */
const SLOT_USE_LESS = 2;

const ROWS = 100_000;
const STILLS = ['svc/image', 'svc/edit', 'svc/edit'] as const;
/** The memory is read once so many were rendered. */
const RENDERED = 1_500;
const MEMORY_RATIO = 1.1;
const CHECK_RATIO = 1.3;

export async function chains({ runs, rows = ROWS }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (let run = 1; run <= runs; run += 1) {
    const use = { chained: await slotUse(FEEDS.chained), alone: await slotUse(FEEDS.alone) };
    for (const [name, value] of Object.entries(use)) measures.add(`slot use, ${name}`, '%', value);
    measures.add('slot use, chained: less by', 'points', use.alone - use.chained, SLOT_USE_LESS);
    const large = { chained: await largeBatch(FEEDS.chained, rows), alone: await largeBatch(FEEDS.alone, rows) };
    for (const figure of ['command', 'worker', 'server'] as const) {
      const bound = figure === 'server' ? undefined : MEMORY_RATIO;
      for (const [name, one] of Object.entries(large)) measures.add(`memory, ${figure}, ${name}`, 'MB', one[figure]);
      measures.add(`memory, ${figure}, chained ÷ alone`, '', large.chained[figure] / large.alone[figure], bound);
    }
    const check = {
      chained: await checked(chainManifest(rows, STILLS, 'row'), rows),
      plain: await checked(chainManifest(rows, STILLS, 'url'), rows),
      images: await checked(imageManifest(rows), rows),
    };
    measures.add('check, chained', 's', check.chained);
    measures.add('check, chained ÷ with URLs', '', check.chained / check.plain, CHECK_RATIO);
    measures.add('check, chained ÷ images that nothing feeds', '', check.chained / check.images);
    say(`chains ${run} of ${runs}: ${use.chained.toFixed(1)} % of the slots, ${use.alone.toFixed(1)} % alone`);
  }
  return {
    name: 'chains',
    settings: {
      'slot use': `${FILM_CHAINS} chains of a still (3 s) and two films (60 s), ${SLOTS} slots, speed ${SPEED}`,
      memory: `${rows} rows, most until ${RENDERED} were rendered`,
      server: 'embedded, SQLite file',
    },
    measures: measures.all(),
  };
}

async function slotUse(feed: Feed): Promise<number> {
  const stand = await openStand({
    emulator: { plan: 'enterprise', speed: SPEED, renderSeconds: RENDER_SECONDS, balanceCredits: '100000' },
    limits: { rpm: RPM_UNBOUND, concurrent: SLOTS },
  });
  try {
    await writeManifest(stand, chainManifest(FILM_CHAINS * FILMS.length, FILMS, feed));
    await stand.callsheet('run', 'chains.csv', '--yes');
    return 100 * slotUseOf((await stand.truth()).jobs, SLOTS);
  } finally {
    await stand.close();
  }
}

/** Seconds. */
async function checked(manifest: string, rows: number): Promise<number> {
  const folder = await benchFolder();
  try {
    await writeFile(join(folder, 'check.csv'), manifest);
    return (await freshCheck(join(folder, 'check.csv'), rows)).seconds;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The most memory in MB until so many rows were rendered. */
async function largeBatch(feed: Feed, rows: number) {
  const stand = await openStand({ emulator: { plan: 'enterprise', speed: 60, balanceCredits: '100000' } });
  try {
    await writeManifest(stand, chainManifest(rows, STILLS, feed));
    const running = stand.start('run', 'chains.csv', '--yes', '--json');
    running.stdout?.resume();
    running.stderr?.resume();
    const ended = once(running, 'close');
    while ((await stand.truth()).jobs.length < Math.min(RENDERED, rows)) await sleep(1_000);
    const state = await engineState(stand);
    if (state === undefined) throw new Error('the engine does not answer');
    const [command, worker, server] = await Promise.all(
      [running.pid ?? null, state.worker.pid, state.server.pid].map((pid) => peakMbOf(pid)),
    );
    running.kill('SIGKILL');
    await ended;
    return { command: command ?? NaN, worker: worker ?? NaN, server: server ?? NaN };
  } finally {
    await stand.close();
  }
}

async function writeManifest(stand: Stand, manifest: string): Promise<void> {
  await writeFile(join(stand.folder, 'still.png'), await makePng({ width: 320, height: 320, look: 'bench', tag: '' }));
  await writeFile(join(stand.folder, 'chains.csv'), manifest);
}
