import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { cpuSecondsOf, peakMbOf } from './lib/processes.js';
import { openStand, type Stand } from './lib/stand.js';

/** How soon the page and `status` show a large batch, and what watching it costs the one that shows it. */

const ROWS = 100_000;
const SPEED = 60;
/** Rows with an output, before the rest is cancelled. */
const RENDERED = 200;
const WATCHERS = 10;
const WATCHED_MS = 20_000;

export async function seen({ runs, rows = ROWS }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const stand = await openStand({ emulator: { plan: 'enterprise', speed: SPEED, balanceCredits: '100000' } });
  try {
    await writeFile(join(stand.folder, 'large.csv'), imageManifest(rows));
    const running = stand.start('run', 'large.csv', '--yes', '--json');
    running.stdout?.resume();
    running.stderr?.resume();
    const ended = once(running, 'close');
    while ((await stand.truth()).jobs.length < RENDERED) await sleep(500);
    await stand.callsheet('cancel', 'large');
    await ended;
    for (let run = 1; run <= runs; run += 1) {
      await forgetIndex(stand);
      measures.add('status: the index made again', 's', (await stand.callsheet('status', 'large')).seconds, 20);
      measures.add('status', 's', (await stand.callsheet('status', 'large')).seconds, 0.3);
      const report = await stand.callsheet('report', 'large');
      measures.add('report.html', 's', report.seconds, 10);
      await measurePage(stand, measures);
      say(`seen ${run} of ${runs}`);
    }
  } finally {
    await stand.close();
  }
  return {
    name: 'seen',
    settings: { rows, timeScale: SPEED, plan: 'enterprise', server: 'embedded, SQLite file' },
    measures: measures.all(),
  };
}

/** The index can be thrown away, and is made again from what it sums up. */
async function forgetIndex(stand: Stand): Promise<void> {
  const home = join(stand.folder, 'data', 'home');
  for (const account of await readdir(home)) {
    await rm(join(home, account, 'batches', 'large', 'index'), { recursive: true, force: true });
  }
}

async function measurePage(stand: Stand, measures: ReturnType<typeof createMeasures>): Promise<void> {
  const dashboard = stand.start('dashboard', '--json');
  const ended = once(dashboard, 'close');
  try {
    const ask = await openSession(dashboard);
    measures.add('page: first page of rows', 'ms', (await ask('/batches/large/rows')).ms, 1_000);
    measures.add('page: the batch', 'ms', (await ask('/batches/large')).ms);
    measures.add('page: what its rows can be chosen by', 'ms', await untilFacets(ask));
    measures.add('page: a filter by status', 'ms', (await ask('/batches/large/rows?status=cancelled')).ms, 200);
    const byText = await ask('/batches/large/rows?text=study%2099&offset=500');
    measures.add('page: a filter by text', 'ms', byText.ms, 200);
    const sorted = await ask('/batches/large/rows?sort=id&direction=down');
    measures.add('page: sorted by id, from its end', 'ms', sorted.ms, 200);
    measures.add('page: time', 'ms', (await ask('/batches/large/time')).ms);
    const cpu = await cpuSecondsOf(dashboard.pid ?? null);
    const leave = new AbortController();
    for (let watcher = 0; watcher < WATCHERS; watcher += 1) void ask('/events', leave.signal);
    await sleep(WATCHED_MS);
    const used = (await cpuSecondsOf(dashboard.pid ?? null)) - cpu;
    leave.abort();
    measures.add(`page: processor with ${WATCHERS} watchers`, '%', (used / WATCHED_MS) * 100_000);
    measures.add('page: peak memory', 'MB', await peakMbOf(dashboard.pid ?? null), 250);
  } finally {
    dashboard.kill('SIGINT');
    await ended;
  }
}

/** The page offers filters by status, kind, group and reason once all rows are read: after so many ms. */
async function untilFacets(ask: Ask): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const { facets } = JSON.parse((await ask('/batches/large')).text) as { facets: object | null };
    if (facets !== null) return performance.now() - startedMs;
    await sleep(50);
  }
}

/** Asks for a path and tells how long the whole answer took, ms. */
type Ask = (path: string, signal?: AbortSignal) => Promise<{ ms: number; text: string }>;

/** Exchanges the printed code. */
async function openSession(dashboard: ChildProcess): Promise<Ask> {
  if (dashboard.stdout === null) throw new Error('the dashboard has no output');
  dashboard.stderr?.resume();
  const [line] = (await once(createInterface(dashboard.stdout), 'line')) as [string];
  const { origin, hash } = new URL((JSON.parse(line) as { url: string }).url);
  const body = JSON.stringify({ code: hash.slice('#code='.length) });
  const session = await fetch(`${origin}/api/session`, { method: 'POST', body, headers: { origin } });
  const { token } = (await session.json()) as { token: string };
  return async (path, signal) => {
    const startedMs = performance.now();
    const headers = { 'x-callsheet-session': token };
    const response = await fetch(`${origin}/api${path}`, { headers, ...(signal === undefined ? {} : { signal }) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    const text = await response.text().catch(() => '');
    return { ms: performance.now() - startedMs, text };
  };
}
