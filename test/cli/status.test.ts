// What `status` and `list` say of a batch: why nothing moves, since when it is there, and what to type next.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BatchStateReport } from '../../src/cli/batch/batch-state.js';
import { listLines, nextWords, statusLines } from '../../src/cli/views/status-lines.js';
import { standstillTexts } from '../../src/cli/views/troubles.js';
import type { SemaphoreView } from '../../src/contract/semaphore-view.js';
import type { BatchProgress } from '../../src/contract/workflows.js';
import { clearStopped, markCancelled, markStopped } from '../../src/home/batch-marks.js';
import { readBatchOptions, writeBatchOptions } from '../../src/home/batch-order.js';
import { sourcesIn } from '../house/sources.js';
import { canMount, mountDisk } from '../support/small-disk.js';
import { type CliSurroundings, cli } from './harness.js';
import { ACCOUNT, CREDIT, type SeededRow, seededHome, T0 } from './seeded-home.js';

const hint = (words: string) => `callsheet ${words}`;
const NONE = { done: 0, failed: 0, lost_paid: 0, review: 0, cancelled: 0, skipped: 0, not_started: 0 };
const NOTHING_LEFT = { starts: {}, keepEarlier: 0, inputsChanged: false };
const progress: BatchProgress = {
  ...{ phase: 'running', generation: 'g', rows: 20, counts: { ...NONE, done: 1 }, open: 19, blocked: null },
  ...{ creditsNano: 0, creditsUnknown: 0, events: [], startedAtMs: 0 },
};
const slots: SemaphoreView = {
  ...{ planCap: 10, effectiveCap: 10, holders: [], waiting: 19, pauses: [], curbs: [], batches: [], ready: true },
};

function texts(changed: Partial<SemaphoreView>, live = {}): string[] {
  return standstillTexts({ batch: 'b', hint, progress, slots: { ...slots, ...changed }, live, atMs: 0 });
}

test('what is advised names the batch so that it is no flag, with the flags that say where it lies', async () => {
  const pauses = ['user', 'key'].map((reason) => ({ reason: reason as 'user' | 'key', sinceMs: 0 }));
  const said = standstillTexts({
    ...{ batch: '-x', hint, progress, slots: { ...slots, pauses }, live: { checking: 1 }, atMs: 0 },
  });
  expect(said).toEqual([
    expect.stringMatching(/^paused .*: `callsheet resume -- -x` goes on$/),
    expect.stringMatching(/`callsheet resume -- -x` goes on$/),
    expect.stringMatching(/`callsheet review list -- -x`$/),
  ]);
  const home = await seededHome('-x', [{ id: 'one' }]);
  const settings = join(home.folder, 'my settings.json');
  writeFileSync(settings, '{}');
  const keyFile = join(home.folder, 'key');
  const { stdout } = await home.run('status', '--config', settings, '--api-key-file', keyFile, '--', '-x');
  expect(stdout).toMatch(
    /^next {6}callsheet resume --config '.*my settings\.json' .*--home \S+ .*--api-key-file \S+ -- -x$/m,
  );
  const bucket = ['--endpoint', 'http://127.0.0.1:7070', '--force-path-style'];
  const next = JSON.parse((await home.run('status', '--json', ...bucket, '--', '-x')).stdout).next;
  expect(next).toContain(' --endpoint http://127.0.0.1:7070 --force-path-style -- -x');
  const gone = await home.run('review', 'show', '--api-key-file', keyFile, '--', '-x', 'nobody');
  expect(gone.stderr).toMatch(/`callsheet review list .*--home \S+ .* -- -x` shows the rows/);
  // Looking needs no key.
  expect(gone.stderr).not.toContain('--api-key-file');
});

test('no source writes such a command by hand', () => {
  const byHand =
    /callsheet [a-z -]+ \$\{(?!orderWords|nameWords|one\b)|[hH]int\((?:[\w.]+, )?`[a-z -]+ \$\{[\w.]*batch\}|\$\{command\} --|, `[a-z]+ \$\{batch\} /;
  const found = sourcesIn('src/cli', 'src/report', 'src/notices').flatMap(({ path, text }) =>
    text.split('\n').flatMap((line) => (byHand.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

describe('4-U8: what keeps a batch from going on', () => {
  test('out of credits, a refused key, a pause of its own; never that of another batch', () => {
    expect(texts({})).toEqual([]);
    expect(texts({ pauses: [{ reason: 'credits', sinceMs: 0 }] })[0]).toMatch(/credits.*since/);
    expect(texts({ pauses: [{ reason: 'key', sinceMs: 0 }] })[0]).toContain('does not accept the API key');
    expect(texts({ pauses: [{ reason: 'user', sinceMs: 0, batch: 'b' }] })[0]).toContain('callsheet resume');
    expect(texts({ pauses: [{ reason: 'user', sinceMs: 0, batch: 'other' }] })).toEqual([]);
  });

  test('a pause that only the home knows stands beside one of the account', () => {
    const paused = { ...progress, phase: 'paused' } as const;
    const pauses = [{ reason: 'credits', sinceMs: 0 }] as const;
    const said = standstillTexts({
      hint,
      batch: 'b',
      progress: paused,
      slots: { ...slots, pauses: [...pauses] },
      live: {},
      atMs: 0,
    });
    expect(said).toEqual([expect.stringContaining('callsheet resume b'), expect.stringMatching(/credits.*since/)]);
  });

  test('each is a sentence of its own, with since when where it says what is the matter', () => {
    const since = /\(since \d\d:\d\d:\d\d\)/;
    for (const reason of ['key', 'records', 'network', 'outputs', 'user'] as const) {
      expect(texts({ pauses: [{ reason, sinceMs: 0 }] })[0]).toMatch(since);
    }
    expect(texts({ pauses: [{ reason: 'key', sinceMs: 0 }] })[0]).toMatch(
      / the API key \(since .*\): have it unblocked there or set another one/,
    );
    const unread = { curb: 'unread', what: 'discounts', sinceMs: 0 } as const;
    expect(texts({ curbs: [unread] })[0]).toMatch(/^reading the account's discounts has failed since /);
  });

  test('a service that is away, the quiet of a lost answer, and rows that wait for a verdict', () => {
    const breaker = { curb: 'breaker', family: 'vendor-f', cause: 'outage', sinceMs: 0, nextProbeMs: 0 } as const;
    expect(texts({ curbs: [breaker] })[0]).toContain('vendor-f: it cannot be reached');
    const later = Date.now() + 600_000;
    expect(texts({ curbs: [{ curb: 'quiet', untilMs: later }] })[0]).toContain('quiet until');
    const paced = { curb: 'paced', cause: 'rpm', route: null, sinceMs: 0 } as const;
    expect(texts({ curbs: [{ ...paced, untilMs: later }] })[0]).toContain('the account submits nothing until');
    // No sentence names a time that has passed.
    expect(texts({ curbs: [{ curb: 'quiet', untilMs: 0 }] })[0]).toContain('quiet: ');
    expect(texts({ curbs: [{ ...paced, untilMs: 0 }] })[0]).toContain('one row of the account tries now');
    expect(texts({ curbs: [breaker] })[0]).toContain('next now');
    expect(texts({}, { checking: 2 })).toEqual([
      '2 rows wait for the verdict on a lost answer: `callsheet review list b`',
    ]);
  });
});

describe('friction 7: dates, manifest, reason and the next command', () => {
  const report: BatchStateReport = {
    ...{ batch: 'b', state: 'finished', rows: 2, counts: { ...NONE, done: 2 }, live: {}, needPerson: 0 },
    ...{ credits: '0', creditsUnknown: 0, manifest: '/m/my shots.csv', out: '/o/b', createdAt: '', lastEndedAt: null },
    ...{ eta: null, etaSeconds: null, generation: 'g', waitsForRetry: false, stopped: null, blocked: null },
    ...{ creditsExpected: null, sample: null },
  };
  test.each<[Partial<BatchStateReport>, string]>([
    [{}, 'results b'],
    [{ counts: { ...NONE, failed: 1 } }, 'retry b'],
    [{ counts: { ...NONE, failed: 1, review: 1 }, needPerson: 1 }, 'review list b'],
    [{ counts: { ...NONE, not_started: 1 }, waitsForRetry: true }, 'retry b'],
    [{ stopped: 'budget_reached' }, 'resume b --max-credits <more>'],
    [{ stopped: 'budget_reached', sample: 'approved' }, 'approve b'],
    [{ stopped: 'too_many_failures', sample: 'approved' }, 'resume b'],
    [{ left: { ...NOTHING_LEFT, starts: { retry: 1 } } }, 'retry b'],
    [{ left: { ...NOTHING_LEFT, starts: { retry: 1, 'accept inputs': 1 } } }, 'retry b --accept-inputs'],
    [{ left: { ...NOTHING_LEFT, starts: { review: 2 }, givenUp: 'a' } }, 'review resubmit b a'],
    [{ left: { ...NOTHING_LEFT, keepEarlier: 1, inputsChanged: true } }, 'retry b --accept-inputs'],
    [{ left: { ...NOTHING_LEFT, keepEarlier: 1 } }, 'results b'],
    [{ state: 'running' }, 'watch b'],
    [{ state: 'paused' }, 'resume b'],
    [{ state: 'not running' }, 'resume b'],
  ])('%j: %s', (changed, words) => {
    expect(nextWords({ ...report, ...changed })).toBe(words);
  });

  test('where Temporal does not answer status and list say so', () => {
    const session = {
      terminal: { dataColors: { bold: String, yellow: String } },
      config: {},
      origins: new Map(),
    } as never;
    const silent: BatchStateReport = {
      ...report,
      state: 'unknown',
      blocked: 'the disk of /d is full',
      createdAt: '2026',
    };
    const [first, ...others] = statusLines(session, silent);
    expect(first).toBe(
      'b: Temporal or its worker does not answer, so whether it runs cannot be said: ask again in a moment',
    );
    expect(others).toContain('blocked   the disk of /d is full');
    expect(listLines(session, [silent]).join('\n')).toMatch(/^b +no answer +2 /m);
  });

  test('how many rows wait for others, and for which row', () => {
    const session = {
      terminal: { dataColors: { bold: String, yellow: String } },
      config: {},
      origins: new Map(),
    } as never;
    const held: BatchStateReport = { ...report, createdAt: '2026', live: { held: 3, waiting: 1 }, heldFor: 'hero' };
    expect(statusLines(session, held)).toContain("held      3 rows wait for others, the first for 'hero'");
    const list = listLines(session, [{ ...report, createdAt: '2026' }, held]).join('\n');
    expect(list).toMatch(/batch +state +rows +ended +held +began/);
    expect(list).toMatch(/^b +finished +2 +.* 3, first for 'hero' +2026/m);
  });

  test('status and list of a home without an engine', async () => {
    const home = await seededHome('b', [
      { id: 'one', record: { finishedAtMs: T0 + 60_000 } },
      { id: 'two', record: { status: 'review', reasonCode: 'handle_expired' } },
    ]);
    const { stdout } = await home.run('status', 'b');
    expect(stdout).toMatch(/^began {5}2026-01-05 \d\d:\d\d, last row ended 2026-01-05 \d\d:\d\d$/m);
    expect(stdout).toMatch(/^review {4}1 row needs a person$/m);
    expect(stdout).toMatch(/^next {6}callsheet review list b/m);
    const json = JSON.parse((await home.run('status', 'b', '--json')).stdout);
    expect(json).toMatchObject({ state: 'finished', needPerson: 1, manifest: null, lastEndedAt: expect.any(String) });
    const list = await home.run('list');
    expect(list.stdout).toMatch(/batch +state +rows +ended +began +manifest +writes to +next/);
    expect(list.stdout).toContain('callsheet review list b');
  });
});

test('what a batch is expected to cost goes by rows that were paid, not by those that took an earlier render over', async () => {
  const reused = { attempts: 0, creditsNano: 0, reusedFrom: 'old/one' };
  const ended = [
    ...['a', 'b', 'c'].map((id) => ({ id, record: reused })),
    { id: 'paid', record: { creditsNano: 0.4 * CREDIT } },
  ];
  const expected = async (rows: SeededRow[]) => {
    const home = await seededHome('b', rows);
    return JSON.parse((await home.run('status', 'b', '--json')).stdout).creditsExpected;
  };
  expect(await expected([...ended, { id: 'open' }, { id: 'waits' }])).toBe('1.2');
  expect(await expected(ended)).toBe('0.4');
  expect(await expected([{ id: 'a', record: reused }, { id: 'open' }])).toBeNull();
  expect(await expected([{ id: 'a', record: reused }])).toBe('0');
});

test('data has colours where standard output is a terminal, whatever standard error is', async () => {
  const home = await seededHome('b', [{ id: 'one', states: [], record: {} }]);
  const run = (...args: string[]) => {
    return async (more: CliSurroundings) => {
      const env = { CALLSHEET_API_KEY: 'sk-svc-test', ...more.env };
      const place = ['--home', join(home.folder, 'home'), '--account', ACCOUNT, '--base-url', 'http://127.0.0.1:9'];
      return (await cli([...args, ...place], { cwd: home.folder, ...more, env })).stdout;
    };
  };
  const colour = '\u001b[';
  const status = run('status', 'b');
  expect(await status({ isTerminal: true })).not.toContain(colour);
  expect(await status({ isTerminal: true, env: { FORCE_COLOR: '1' } })).toContain(colour);
  expect(await status({ isDataTerminal: true })).toContain(colour);
  expect(await status({ isDataTerminal: true, env: { NO_COLOR: '1' } })).not.toContain(colour);
  expect(await run('review', 'show', 'b', 'one')({ isTerminal: true })).not.toContain(colour);
});

test('4-U10: rows that leave are named, and the other manifest whose batch this would become', async () => {
  const home = await seededHome('b', [{ id: 'one' }, { id: 'two' }, { id: 'three' }]);
  const options = await readBatchOptions(home.home, 'b');
  await writeBatchOptions(home.home, 'b', { ...options, manifest: '/films/a/b.csv' });
  writeFileSync(
    join(home.folder, 'b.csv'),
    'id,kind,model,prompt\none,vendor-f/video,vendor-f-3.1-generate-preview,a boat\n',
  );
  const { stderr } = await home.run('plan', 'b.csv', '--no-network');
  expect(stderr).toContain(
    'warning: 2 rows are not in this manifest any more (two, three): what was submitted of them',
  );
  expect(stderr).toContain("'b' was last run from /films/a/b.csv: --name makes this manifest a batch of its own");
});

describe('a batch that stopped by itself', () => {
  const watched = async (home: Awaited<ReturnType<typeof seededHome>>) => {
    const { exitCode, stdout, stderr } = await home.run('watch', 'b', '--json');
    const events = stdout.split('\n').filter(Boolean);
    return { exitCode, stderr, last: JSON.parse(events.at(-1) ?? '{}') as object };
  };

  test('watch says which limit stopped it, and ends as the run did', async () => {
    const home = await seededHome('b', [{ id: 'one', record: {} }, { id: 'two' }]);
    await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
    const budget = await watched(home);
    expect(budget.exitCode, budget.stderr).toBe(6);
    expect(budget.last).toMatchObject({ type: 'batch_finished', stopped: 'budget_reached', exitCode: 6 });
    expect(budget.stderr).toContain('stopped by the budget: 1 row was not started');
    await clearStopped(home.home, 'b');
    await markStopped(home.home, 'b', 'too_many_failures', { atMs: T0 });
    const failures = await watched(home);
    expect(failures).toMatchObject({ exitCode: 1, last: { stopped: 'too_many_failures' } });
  });

  test('one that was cancelled afterwards waits for no budget', async () => {
    const home = await seededHome('b', [{ id: 'one', record: {} }, { id: 'two' }]);
    await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
    await markCancelled(home.home, 'b', T0 + 1);
    expect(await watched(home)).toMatchObject({ exitCode: 1, last: { stopped: null } });
  });
});

test('the plan of a cancelled batch says what becomes of its rows, and what runs them', async () => {
  const home = await seededHome('b', [{ id: 'one' }, { id: 'two' }]);
  await markCancelled(home.home, 'b', T0);
  const films = ['one', 'two'].map((id) => `${id},vendor-f/video,vendor-f-3.1-fast-generate-preview,film ${id},4\n`);
  writeFileSync(join(home.folder, 'b.csv'), `id,kind,model,prompt,duration\n${films.join('')}`);
  const said = await home.run('plan', 'b.csv', '--out', join(home.folder, 'out'), '--no-network');
  expect(said.stdout, said.stderr).toMatch(
    /^cancelled 2 rows were cancelled and are not run again; `callsheet retry b --base-url .* --home \S+ .*` runs them$/m,
  );
});

test('pause starts no engine on a home that the batch was not run from, which would go on with what it knows', async () => {
  const home = await seededHome('b', [{ id: 'one' }]);
  const folder = join(home.folder, 'out', 'b');
  mkdirSync(folder, { recursive: true });
  const mark = { schema: 1, homeId: 'a'.repeat(32), seenMs: 5 };
  writeFileSync(join(folder, `home-${ACCOUNT}.json`), JSON.stringify(mark));
  const { exitCode, stderr } = await home.run('pause', 'b');
  expect(exitCode, stderr).toBe(4);
  expect(stderr).toContain("is not the home that 'b' in");
  expect(stderr).toContain('none was started, so nothing is submitted; bring that home back');
  expect(stderr).not.toContain('starting the engine');
});

test.skipIf(!canMount())('status, list and resume name a disk without room, and what to do', async () => {
  const home = await seededHome('b', [{ id: 'one' }]);
  const data = join(home.folder, 'data');
  mkdirSync(data, { recursive: true });
  mountDisk(data, '1m');
  try {
    const advice = 'the disk of data is full: make room';
    expect((await home.run('status', 'b')).stdout).toContain(`blocked   ${advice}`);
    expect((await home.run('list')).stderr).toContain(advice);
    const { stdout } = await home.run('list', '--json');
    expect((JSON.parse(stdout) as { blocked: string }).blocked).toContain(advice);
    const resumed = await home.run('resume', 'b');
    expect([resumed.exitCode, resumed.stderr]).toEqual([
      4,
      expect.stringContaining(`${advice} and it goes on by itself`),
    ]);
  } finally {
    execFileSync('umount', ['-l', data]);
  }
});

test('engine --help shows its own status, which takes no batch', async () => {
  const { stdout } = await cli(['engine', '--help']);
  expect(stdout).toMatch(/^ {2}status {2,}Shows whether the engine runs/m);
});
