import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Truth } from '../emulator/emulator.js';
import { makePng } from '../emulator/media/media-png.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { missedBounds } from './lib/report.js';
import { openStand, type Stand } from './lib/stand.js';
import { auditRows } from './soak/audit.js';
import { FAULTS } from './soak/faults.js';
import { addGrowth, type Course, factsOf, settingsOf } from './soak/figures.js';
import { startKiller } from './soak/killer.js';
import { type Lanes, startLanes } from './soak/lanes.js';
import { createRandom } from './soak/random.js';
import { IMAGE_FILES, PRICES } from './soak/rows.js';
import { startSampler } from './soak/samples.js';
import {
  FAIL_RATE,
  KILL_EVERY_S,
  LAG_S,
  LANES,
  LIMITS,
  RENDER_MAX_S,
  ROWS_PER_BATCH,
  SAMPLE_EVERY_S,
  SPEED,
  TOP_UP,
  TOP_UP_EVERY_S,
} from './soak/settings.js';

/**
 * An account under load for an hour, sped up, with faults at the service and SIGKILL of worker, Temporal server,
 * supervisor and command lines at random: do all rows end, once paid, and do the books balance to the digit?
 * SIGTERM begins no further batch and comes to the end with those that run.
 */

export async function soak({ minutes = 60, rows = 5_000, seed = 1 }: BenchOptions): Promise<BenchOutcome> {
  const stand = await openStand({
    emulator: {
      speed: SPEED,
      seed,
      plan: 'enterprise',
      balanceCredits: '10000',
      failRate: FAIL_RATE,
      balanceLagSeconds: LAG_S,
      faults: FAULTS,
    },
    limits: LIMITS,
  });
  let isClean = false;
  try {
    await prepare(stand);
    const startedMs = performance.now();
    let isTold = false;
    process.once('SIGTERM', () => {
      isTold = true;
    });
    const isOver = (): boolean => performance.now() - startedMs >= minutes * 60_000;
    const random = createRandom(seed);
    const goesOn = (begun: number): boolean => !isTold && (!isOver() || begun < rows);
    const lanes = startLanes(stand, { lanes: LANES, rowsPerBatch: ROWS_PER_BATCH, random, goesOn });
    const { kills, samples } = await disturb(stand, lanes, seed);
    const measured = (performance.now() - startedMs) / 60_000;
    const outcome = await conclude(stand, lanes, { minutes: measured, seed, rows, kills, samples });
    isClean = missedBounds(outcome).length === 0;
    return outcome;
  } finally {
    // Records and truth of a row that was paid twice are worth more than the room they take.
    if (!isClean) await writeFile(join(stand.folder, 'truth.json'), JSON.stringify(await stand.truth()));
    await stand.close(!isClean);
  }
}

async function prepare(stand: Stand): Promise<void> {
  const waits = { renderMaxSeconds: { default: RENDER_MAX_S, 'vendor-f': RENDER_MAX_S } };
  const config = { account: { exclusive: true }, ambiguity: 'if-proved', prices: PRICES, waits };
  await writeFile(join(stand.folder, 'callsheet.config.json'), JSON.stringify(config));
  await mkdir(join(stand.folder, 'media'));
  for (let at = 0; at < IMAGE_FILES; at += 1) {
    const image = await makePng({ width: 640, height: 480, look: 'soak', tag: String(at) });
    await writeFile(join(stand.folder, 'media', `${at}.png`), image);
  }
}

/** Kills, buys and samples until the last batch has ended. */
async function disturb(stand: Stand, lanes: Lanes, seed: number) {
  const startedMs = performance.now();
  const killer = startKiller(stand, lanes, createRandom(seed + 1), {
    everyS: KILL_EVERY_S,
    onKill: (victim) =>
      say(
        `soak: ${Math.round((performance.now() - startedMs) / 1_000)} s, killed ${victim}, ${lanes.rowsBegun()} rows begun`,
      ),
  });
  const sampler = startSampler(stand, SAMPLE_EVERY_S);
  const buying = setInterval(
    () => void stand.steer('top-up', { credits: TOP_UP }).catch(() => undefined),
    TOP_UP_EVERY_S * 1_000,
  );
  try {
    await lanes.ended;
  } finally {
    clearInterval(buying);
    await Promise.all([killer.stop(), sampler.stop()]);
  }
  return { kills: killer.kills, samples: sampler.samples };
}

async function conclude(stand: Stand, lanes: Lanes, course: Course): Promise<BenchOutcome> {
  const truth = await settledTruth(stand);
  const audit = await auditRows(join(stand.folder, 'out'), lanes.batches, truth);
  const breaches = [...audit.breaches, ...(await afterwards(stand, lanes))];
  for (const sentence of breaches.slice(0, 40)) say(`soak: BREACH ${sentence}`);
  const measures = createMeasures();
  const killed = Object.values(course.kills).reduce((sum, n) => sum + n, 0);
  const rowsMissing = Math.max(0, course.rows - audit.rows);
  measures.add('length', 'min', course.minutes);
  measures.add('rows', '', audit.rows);
  measures.add('rows fewer than asked for', '', rowsMissing, 0);
  measures.add('kills', '', killed);
  measures.add('breaches', '', breaches.length, 0);
  measures.add('books: credits missing', '1e-9', Math.abs(audit.missingNano), 0);
  measures.add('jobs at once', '', truth.account.maxima.jobsAtOnce, truth.account.caps.concurrent);
  measures.add('requests in 60 s', '', truth.account.maxima.requestsIn60s, truth.account.caps.rpm);
  addGrowth(measures.add, course.samples);
  return {
    name: 'soak',
    settings: { ...settingsOf(course), ...factsOf(audit, truth, lanes, course) },
    measures: measures.all(),
    series: course.samples,
  };
}

/** Jobs that nobody waits for any more (lost ones, those of rows in review) end, and are charged, too. */
async function settledTruth(stand: Stand): Promise<Truth> {
  for (let truth = await stand.truth(); ; truth = await stand.truth()) {
    if (truth.account.running === 0) return truth;
    await sleep(5_000);
  }
}

/** The same commands again send nothing paid (I9), and every record agrees with the others. */
async function afterwards(stand: Stand, lanes: Lanes): Promise<string[]> {
  const paid = ({ requests }: Truth): number => requests.filter(({ method }) => method === 'POST').length;
  const found: string[] = [];
  const before = paid(await stand.truth());
  for (const batch of lanes.batches.keys()) {
    // 1 and 3 are honest ends of a batch in which renders fail and answers are lost.
    await stand.callsheet('run', `${batch}.csv`, '--yes').catch((error: unknown) => {
      if (!/ended with [13]:/.test(String(error))) found.push(`run again: ${String(error)}`);
    });
  }
  const more = paid(await stand.truth()) - before;
  if (more > 0) found.push(`I9 running every batch again sent ${more} paid requests`);
  await stand.callsheet('ledger', 'verify').catch((error: unknown) => found.push(`ledger verify: ${String(error)}`));
  return found;
}
