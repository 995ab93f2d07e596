import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Truth } from '../emulator/emulator.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { filmManifest, imageManifest } from './lib/manifests.js';
import { openStand, type Stand } from './lib/stand.js';
import { secondsUntil } from './lib/until.js';

/**
 * From a command to the first request that renders, and from a SIGKILL of a process of the engine to the moment at which
 * every job in flight was polled again.
 */

const SPEED = 10;
const FILMS = 20;
const SLOTS = 10;
/** Longer than all kills of a run together: nothing ends meanwhile. */
const RENDER_S = 3_000;
const BOUND_START_S = 3;
const BOUND_POLLED_S = 15;
const GIVE_UP_S = 120;

type Job = Truth['jobs'][number];
const PROCESSES = ['worker', 'server', 'supervisor'] as const;

export async function recovery({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (let run = 1; run <= runs; run += 1) {
    const stand = await openStand({
      emulator: { plan: 'enterprise', speed: SPEED, renderSeconds: { 'vendor-e': [RENDER_S, RENDER_S] } },
      limits: { rpm: 6_000, concurrent: SLOTS },
    });
    try {
      await writeFile(join(stand.folder, 'first.csv'), imageManifest(5));
      await writeFile(join(stand.folder, 'films.csv'), filmManifest(FILMS));
      const first = runQuietly(stand, 'first.csv');
      const ended = once(first, 'close');
      const coldS = await secondsUntil(async () => (await stand.jobCount()) > 0, GIVE_UP_S);
      measures.add('from `run` to the first submit, the engine not yet there', 's', coldS, BOUND_START_S);
      const [code] = await ended;
      if (code !== 0) throw new Error(`the first run ended with ${code}`);
      const before = await stand.jobCount();
      runQuietly(stand, 'films.csv');
      const warmS = await secondsUntil(async () => (await stand.jobCount()) > before, GIVE_UP_S);
      measures.add('from `run` to the first submit, the engine there', 's', warmS);
      // A submit that is under way is another matter: its claim is looked into after half a minute.
      await secondsUntil(
        async () => (await inFlight(stand)).filter(({ polls }) => polls > 0).length === SLOTS,
        GIVE_UP_S,
      );
      say(`recovery ${run} of ${runs}: first submit after ${coldS.toFixed(1)} s, the next after ${warmS.toFixed(1)} s`);
      for (const name of PROCESSES) {
        const seconds = await polledAgain(stand, name);
        measures.add(`kill -9 of the ${name} to the last job polled again`, 's', seconds, BOUND_POLLED_S);
        say(`recovery ${run} of ${runs}: ${name} killed, all polled again after ${seconds.toFixed(1)} s`);
      }
      const films = (await stand.jobCount()) - before;
      measures.add('jobs at the service beyond those in the slots', '', films - SLOTS, 0);
    } finally {
      await stand.close();
    }
  }
  return {
    name: 'recovery',
    settings: { films: FILMS, slots: SLOTS, timeScale: SPEED, server: 'embedded, SQLite file' },
    measures: measures.all(),
  };
}

function runQuietly(stand: Stand, manifest: string): ChildProcess {
  const child = stand.start('run', manifest, '--yes');
  child.stdout?.resume();
  child.stderr?.resume();
  return child;
}

async function inFlight(stand: Stand): Promise<Job[]> {
  return (await stand.truth()).jobs.filter(({ type, terminalMs }) => type === 'job' && terminalMs === undefined);
}

/** Kills the process, and waits until each job in flight has one poll more than before. */
async function polledAgain(stand: Stand, name: (typeof PROCESSES)[number]): Promise<number> {
  const before = new Map((await inFlight(stand)).map(({ id, polls }) => [id, polls]));
  process.kill(await pidOf(stand, name), 'SIGKILL');
  return secondsUntil(
    async () => (await inFlight(stand)).every(({ id, polls }) => polls > (before.get(id) ?? 0)),
    GIVE_UP_S,
  );
}

/** As the engine's own record names it. */
async function pidOf(stand: Stand, name: (typeof PROCESSES)[number]): Promise<number> {
  const record = JSON.parse(await readFile(join(stand.folder, 'data', 'engine.json'), 'utf8'));
  return record[name].pid;
}
