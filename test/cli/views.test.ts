import { PassThrough } from 'node:stream';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import type { FollowEvent, Snapshot } from '../../src/cli/batch/follow.js';
import { createJsonEvents } from '../../src/cli/batch/json-events.js';
import type { KnownBatch } from '../../src/cli/batch/known-batch.js';
import { tellCancelled } from '../../src/cli/batch/tell-cancelled.js';
import { engineLines } from '../../src/cli/commands/engine.js';
import type { Io } from '../../src/cli/io.js';
import { orderWords } from '../../src/cli/open-session.js';
import { type ListedCase, sumOf } from '../../src/cli/review/case-list.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { countsText, creditsJson, exitCodeOf, spentWords } from '../../src/cli/views/counts.js';
import { bar, isCounted, liveLines, plainLine, stateOf } from '../../src/cli/views/live-view.js';
import { createPresenter } from '../../src/cli/views/presenter.js';
import { failureLine, type SummaryFacts, summaryLines } from '../../src/cli/views/summary.js';
import { blockedText } from '../../src/cli/views/troubles.js';
import { formatDuration } from '../../src/domain/duration.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { EngineState } from '../../src/engine/engine-status.js';
import { groupFailures } from '../../src/report/tallies.js';

const colors = pc.createColors(false);
const NONE = { done: 0, failed: 0, lost_paid: 0, review: 0, cancelled: 0, skipped: 0, not_started: 0 };
const CREDIT = 1_000_000_000;

const snapshot: Snapshot = {
  atMs: 60_000,
  progress: {
    phase: 'running',
    generation: 'g',
    rows: 40,
    counts: { ...NONE, done: 9, failed: 1 },
    open: 12,
    blocked: null,
    creditsNano: 3.2 * CREDIT,
    creditsUnknown: 2,
    events: [],
    startedAtMs: 0,
  },
  slots: {
    planCap: 10,
    effectiveCap: 10,
    holders: [
      { job: { batch: 'b', id: 'a' }, grant: 1, kind: 'svc/image', sinceMs: 0, phase: 'granted' },
      { job: { batch: 'b', id: 'c' }, grant: 2, kind: 'vendor-f/video', sinceMs: 0, phase: 'granted' },
      { job: { batch: 'b', id: 'd' }, grant: 3, kind: 'vendor-f/video', sinceMs: 0, phase: 'submitted' },
      { job: { batch: 'b', id: 'e' }, grant: 4, kind: 'vendor-f/video', sinceMs: 0, phase: 'held' },
    ],
    waiting: 8,
    pauses: [],
    curbs: [],
    batches: [],
    ready: true,
  },
  balanceNano: 96 * CREDIT,
  lostSinceMs: undefined,
  lostPlace: 'work' as const,
  lostWhy: undefined,
};
const hint = (words: string) => `callsheet ${words} --data ./d`;
const options = { batch: 'b', columns: 100, finishedBefore: 0, sinceMs: 0, pausedMs: 0, hint, paint: colors };

const LOST: ListedCase = {
  batch: 'b',
  id: 'x',
  status: 'review',
  reasonCode: 'answer_lost_undecided',
  reason: 'nobody knows',
  stakeNano: 400_000_000,
};

describe('the live view', () => {
  test('bars for rows and slots, credits, and how long it will take', () => {
    expect(liveLines(snapshot, options)).toEqual([
      `rows   ${'█'.repeat(10)}${'░'.repeat(30)} 10/40 25 %`,
      '       done 9, failed 1, 12 under way',
      'slots  ████░░░░░░ 4/10  2 submitting, 1 rendering, 1 held, 8 waiting',
      'spent  3.2 credits, the cost of 2 rows is not known, balance 96',
      'ETA    2 min 16 s to 4 min 24 s',
    ]);
  });

  test('what is not known is said to be unknown', () => {
    const early = { ...snapshot, slots: undefined, balanceNano: undefined };
    expect(liveLines(early, { ...options, finishedBefore: 9 }).at(-1)).toBe(
      'ETA    not known until 3 rows of this run have ended',
    );
  });

  test('without an ETA while it is paused, since that is said already', () => {
    const paused = { ...snapshot, progress: { ...snapshot.progress, phase: 'paused' as const } };
    expect(liveLines(paused, options).join()).not.toContain('ETA');
  });

  test('the time of a pause is no time of slow work', async () => {
    const shown = new PassThrough().setEncoding('utf8');
    const io = { stderr: shown, isTerminal: true, columns: () => 100 } as unknown as Io;
    const terminal = { colors, isQuiet: false } as Terminal;
    const { batch, finishedBefore, sinceMs } = options;
    const presenter = await createPresenter({ io, terminal, isJson: false, batch, hint, finishedBefore, sinceMs });
    const paused = { ...snapshot, progress: { ...snapshot.progress, phase: 'paused' as const } };
    for (const minutes of [1, 2, 60]) presenter.snapshot({ ...paused, atMs: minutes * 60_000 });
    presenter.snapshot({ ...snapshot, atMs: 61 * 60_000 });
    presenter.done();
    expect(shown.read()).toContain('ETA    2 min 16 s to 4 min 24 s');
  });

  test('pauses and outages stand last', () => {
    const slots = snapshot.slots && {
      ...snapshot.slots,
      pauses: [{ reason: 'credits' as const, sinceMs: 0, needNano: CREDIT / 2 }],
    };
    const lines = liveLines({ ...snapshot, slots, lostSinceMs: 30_000 }, options);
    expect(lines.at(-2)).toMatch(
      /^the service says that the credits do not suffice \(0\.5 are needed, since \d\d:\d\d:\d\d\): add .* once the balance rises$/,
    );
    expect(lines.at(-1)).toBe('no answer from Temporal or the worker for 30 s, trying again');
  });

  test('numbers are shown once what had ended before is counted, troubles at once, and all of it after a while', () => {
    const fresh = { ...snapshot, progress: { ...snapshot.progress, counts: NONE }, atMs: 1_000 };
    const again = { ...options, finishedBefore: 9 };
    expect(liveLines(fresh, again).map((line) => line.split(' ')[0])).toEqual(['slots']);
    expect(liveLines({ ...fresh, lostSinceMs: 500 }, again)).toHaveLength(2);
    expect(liveLines({ ...fresh, atMs: 31_000 }, again)).toHaveLength(5);
    expect([isCounted(fresh, again), isCounted(snapshot, again), isCounted(fresh, options)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(plainLine(fresh, options, false)).toBeUndefined();
    expect(plainLine({ ...fresh, lostSinceMs: 1_000 }, options, false)).toMatch(/^\S+ b: no answer from Temporal/);
  });

  test('the slots stand nowhere before the plan was read', () => {
    const slots = snapshot.slots && { ...snapshot.slots, planCap: 0, effectiveCap: 0, holders: [] };
    const fresh = { ...snapshot, slots };
    expect(liveLines(fresh, options).map((line) => line.split(' ')[0])).toEqual(['rows', '', 'spent', 'ETA']);
    expect(plainLine(fresh, options, true)).not.toContain('slots');
  });

  test('a narrow terminal has short bars', () => {
    expect(Math.max(...liveLines(snapshot, { ...options, columns: 40 }).map((line) => line.length))).toBeLessThan(80);
    expect([bar(0, 0, 4), bar(9, 4, 4), bar(1, 4, 4)]).toEqual(['░░░░', '████', '█░░░']);
  });
});

test('one plain line, and a word for what is worth another one', () => {
  expect(plainLine(snapshot, options, true)).toMatch(
    /^\d\d:\d\d:\d\d b: 10\/40 rows \(done 9, failed 1\); 12 under way; 4\/10 slots; 3\.2 credits, the cost of 2 rows is not known, balance 96$/,
  );
  expect(plainLine({ ...snapshot, progress: { ...snapshot.progress, held: 7 } }, options, true)).toContain(
    '12 under way, 7 held for rows that feed them; ',
  );
  expect(plainLine({ ...snapshot, progress: { ...snapshot.progress, phase: 'paused' } }, options, true)).toContain(
    ' b: paused: 10/40',
  );
  expect(stateOf(snapshot)).not.toBe(stateOf({ ...snapshot, lostSinceMs: 1 }));
});

describe('JSON events', () => {
  const KEPT: Record<string, object> = {
    x: { status: 'done', files: [{ file: 'media/x.png' }] },
    y: { status: 'failed', files: [], reasonCode: 'render_failed', reason: 'no' },
  };
  const recordOf = async (id: string) => KEPT[id] as RowRecord | undefined;
  function collect() {
    const told: Record<string, unknown>[] = [];
    const events = createJsonEvents(
      { batch: 'b', account: 'a' },
      {
        write: (one) => told.push(one as Record<string, unknown>),
        now: () => 1_000,
        recordOf,
        fileInWay: async () => '/out/b/media/x.png',
        resume: 'callsheet resume b',
      },
    );
    return { told, events };
  }

  test('a batch that a file holds up: the event names the file, as the sentence does', async () => {
    const { told, events } = collect();
    const paused = { seq: 1, atMs: 5, type: 'paused', reason: 'blocked', id: 'x' } as const;
    events.follow({ type: 'batch', event: { ...paused, code: 'EEXIST' } } as FollowEvent);
    events.follow({ type: 'batch', event: { ...paused, code: 'ENOSPC' } } as FollowEvent);
    await events.written();
    expect(told[0]).toMatchObject({ type: 'paused', id: 'x', code: 'EEXIST', file: '/out/b/media/x.png' });
    expect(told[0]?.message).toContain('move /out/b/media/x.png away');
    expect(told[1]).not.toHaveProperty('file');
  });

  test('each has the schema; a row is told once, with its file or its reason (friction 5)', async () => {
    const { told, events } = collect();
    const finished: FollowEvent = {
      type: 'batch',
      event: { seq: 1, atMs: 5, type: 'row_finished', id: 'x', status: 'done', creditsNano: CREDIT },
    };
    events.started({ generation: 'g', rows: 2, toRun: 2, out: '/out/b' });
    events.follow(finished);
    events.follow(finished);
    events.rowFinished('x', 'done', CREDIT, 5);
    events.rowFinished('y', 'failed', null, 6);
    events.follow({ type: 'batch', event: { seq: 2, atMs: 7, type: 'ambiguous', id: 'z' } });
    events.follow({ type: 'batch', event: { seq: 3, atMs: 8, type: 'settled', id: 'z', verdict: 'not_billed' } });
    events.follow({ type: 'paused', reason: 'credits', sinceMs: 9 });
    events.finished(
      { counts: NONE, creditsNano: CREDIT, creditsUnknown: 1 },
      {
        out: '/out/b',
        exitCode: 1,
        cases: [LOST],
        sum: sumOf([LOST]),
      },
    );
    await events.written();
    expect(told.every((one) => one.schema === 1 && one.batch === 'b' && one.account === 'a')).toBe(true);
    expect(told.map(({ type }) => type)).toEqual([
      'batch_started',
      'row_finished',
      'row_finished',
      'ambiguous',
      'settled',
      'paused',
      'batch_finished',
    ]);
    expect(told[1]).toMatchObject({ id: 'x', status: 'done', credits: '1', at: '1970-01-01T00:00:00.005Z' });
    expect(told[1]).toMatchObject({ file: 'media/x.png', reason_code: null, reason: null });
    expect(told[2]).toMatchObject({ id: 'y', credits: null, file: null, reason_code: 'render_failed', reason: 'no' });
    expect(told[6]).toMatchObject({ counts: NONE, credits: '1', creditsUnknown: 1, exitCode: 1 });
    expect(told[6]?.review).toMatchObject({
      rows: 1,
      at_stake: '0.4',
      unknown_rows: 0,
      first: [{ id: 'x', at_stake: '0.4' }],
    });
    expect(events.told()).toBe(2);
  });
});

describe('equal errors stand together', () => {
  test('numbers and ids make no difference; the most frequent stands last', () => {
    const failures = groupFailures();
    for (let i = 0; i < 5; i += 1) {
      failures.add({
        id: `r${i}`,
        status: 'failed',
        reasonCode: 'render_failed',
        reason: `task 12${i} failed at 0.${i} s`,
      });
    }
    failures.add({ id: 'x', status: 'review', reasonCode: 'answer_lost_undecided' });
    expect(failures.groups().map(failureLine)).toEqual([
      '1 × review answer_lost_undecided: The answer to the submit was lost and the balance does not show whether it was billed. (x)',
      '5 × failed render_failed: The provider accepted the job and failed to render it. "task 120 failed at 0.0 s" (r0, r1, r2, …)',
    ]);
  });

  test('a provider that says something new each time does not fill the screen', () => {
    const failures = groupFailures();
    const words = ['alpha', 'beta', 'gamma', 'delta', 'x', 'y', 'z', 'u', 'v', 'w'];
    for (const a of words)
      for (const b of words)
        for (const c of words) {
          failures.add({ id: 'r', status: 'failed', reasonCode: 'render_failed', reason: `${a} ${b} ${c}` });
        }
    expect(failures.groups().length).toBeLessThanOrEqual(201);
    expect(failures.groups().reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  });

  test('control characters of a provider do not reach the terminal', () => {
    const line = failureLine({
      status: 'failed',
      reasonCode: undefined,
      reason: 'a\u001b[31mb\nc',
      count: 1,
      ids: ['r'],
    });
    expect(line).toBe('1 × failed: "a [31mb c" (r)');
  });
});

describe('the end', () => {
  test.each([
    [{ done: 5 }, 0],
    [{ done: 5, failed: 1 }, 1],
    [{ cancelled: 1 }, 1],
    [{ not_started: 1 }, 1],
    [{ failed: 1, review: 1 }, 3],
    [{ lost_paid: 1, cancelled: 9 }, 3],
  ])('%j ends with %i', (counts, exitCode) => {
    expect(exitCodeOf({ ...NONE, ...counts })).toBe(exitCode);
  });

  test('rows that a person gave up need nobody, and are not done either', () => {
    expect(exitCodeOf({ ...NONE, done: 3, lost_paid: 2 }, undefined, 2)).toBe(1);
    expect(exitCodeOf({ ...NONE, lost_paid: 2 }, undefined, 1)).toBe(3);
    expect(exitCodeOf({ ...NONE, lost_paid: 1 }, 'budget_reached', 1)).toBe(6);
  });

  test('friction 5: credits of which nothing is known are not 0 credits', () => {
    expect([creditsJson(0, 2), creditsJson(0, 0), creditsJson(CREDIT, 2)]).toEqual([null, '0', '1']);
  });

  test('the most important line is the last one', () => {
    const facts = {
      batch: 'b',
      counts: { ...NONE, done: 7, failed: 2, review: 1 },
      creditsNano: 0,
      creditsUnknown: 10,
      groups: [],
      cases: [LOST],
      sum: sumOf([LOST]),
      hint: (words: string) => `callsheet ${words}`,
      folder: '/out/b',
      tookMs: 62_000,
    };
    expect(summaryLines(facts, colors)).toEqual([
      'b: 10 rows in 1 min 2 s',
      '  review x, 0.4 credits at stake: nobody knows',
      '  done 7   failed 2   review 1',
      '  cost     the cost of 10 rows is not known',
      '  results  /out/b/results.csv',
      '2 rows can be run again: `callsheet retry b`',
      '1 row needs a person, 0.4 credits at stake: `callsheet review list b`',
    ]);
    const unstarted = { ...facts, counts: { ...facts.counts, not_started: 9 } };
    const stopped = { ...unstarted, stopped: 'budget_reached' } as const;
    const next = (more: Partial<SummaryFacts>) => summaryLines({ ...stopped, ...more }, colors).join('\n');
    expect(next({})).toContain('`callsheet resume b --max-credits <more>` goes on');
    expect(next({ awaitsApproval: true })).toContain('`callsheet approve b --max-credits <more>` goes on');
    const notStarted = { retry: 3, review: 2, 'accept inputs': 1, run: 3 };
    expect(summaryLines({ ...unstarted, notStarted }, colors).filter((line) => line.includes('not started'))).toEqual([
      '3 rows were not started: the same command again goes on',
      '3 rows were not started, since what feeds them brought no output: `callsheet retry b` runs both',
      '1 row was not started, since what feeds it is another file now or gone: bring it back, or `callsheet retry b --accept-inputs` takes it as it lies',
      '2 rows were not started, since what feeds them needs a person: settle that first with `callsheet review list b`',
    ]);
    // The same command again would be `watch`, which starts nothing.
    const watched = summaryLines({ ...unstarted, isWatched: true }, colors);
    expect(watched).toContain('9 rows were not started: `callsheet retry b` goes on');
    const givenUp = { ...unstarted, notStarted, counts: { ...unstarted.counts, lost_paid: 1, review: 0 }, settled: 1 };
    expect(summaryLines(givenUp, colors)).toContain(
      '2 rows were not started, since what feeds them was given up: `callsheet review resubmit b <id>` pays for that again',
    );
    expect(summaryLines({ ...givenUp, givenUp: 'a' }, colors).join()).toContain('`callsheet review resubmit b a`');
    const elsewhere = { ...stopped, hint: (words: string) => `callsheet ${words} --data d` };
    expect(
      summaryLines(elsewhere, colors)
        .join()
        .match(/`callsheet [^`]+`/g),
    ).toEqual([
      '`callsheet resume b --max-credits <more> --data d`',
      '`callsheet retry b --data d`',
      '`callsheet review list b --data d`',
    ]);
    expect(orderWords('resume', '-b', '--max-credits <more>')).toBe('resume --max-credits <more> -- -b');
    const earlier = (inputsChanged: boolean) =>
      summaryLines({ ...facts, keepEarlier: 2, inputsChanged }, colors).find((line) => line.startsWith('2 rows keep'));
    expect(earlier(false)).toBe(
      '2 rows keep their earlier file, since another render that was ordered brought nothing (rerun_failed): `callsheet explain rerun_failed` says what to do',
    );
    expect(earlier(true)).toContain('`callsheet retry b --accept-inputs` takes the file that feeds it as it lies');
    expect(summaryLines({ ...facts, fellNano: 7.2 * CREDIT }, colors)).toContain(
      '  balance  7.2 credits less than when the batch began, as far as it shows yet',
    );
    const ofBooks = (lo: number, hi: number) => {
      const unattributed = { lo: lo * CREDIT, hi: hi * CREDIT };
      return summaryLines({ ...facts, unattributed }, colors).find((line) => line.includes('left the balance'));
    };
    expect(ofBooks(0.25, 0.25)).toMatch(
      /^ {2}missing {2}0\.2500 credits left the balance that no request here explains/,
    );
    const distrusted = { ...facts, unattributed: { lo: CREDIT, hi: CREDIT }, isDistrusted: true };
    expect(summaryLines(distrusted, colors).join()).toContain('sends no row again until `callsheet review trust`');
    expect(ofBooks(-0.5, -0.25)).toMatch(
      /^ {2}surplus {2}0\.2500 to 0\.5000 credits less left the balance than the prices/,
    );
    const known = { ...facts, fellNano: 7.2 * CREDIT, creditsUnknown: 0 };
    expect(summaryLines(known, colors).join()).not.toContain('balance');
  });
});

describe('F46: why an output cannot be stored in a bucket, and what to do', () => {
  const text = (code: string) => blockedText({ id: 'r', code, count: 1 }, 'callsheet resume b');

  test('credentials that hold are handed over by a command', () => {
    expect(text('ExpiredToken')).toBe(
      'the output of row r cannot be stored: the S3 credentials have expired: renew them and run the same command again (ExpiredToken); `callsheet resume b` with credentials that hold in its environment goes on (on a shared Temporal: its workers need them), nothing paid is lost',
    );
    expect(text('InvalidAccessKeyId')).toMatch(/does not know the access key .*`callsheet resume b` with credentials/);
  });

  test('a region is set by a `run`, and what the server mends goes on by itself', () => {
    expect(text('PermanentRedirect')).toMatch(/set s3\.region.*; the same `run` with that goes on, nothing/);
    expect(text('NoSuchBucket')).toMatch(/the bucket does not exist .*; mend that and it goes on by itself, nothing/);
    expect(text('ENOSPC')).toMatch(/the disk is full \(ENOSPC\); mend that and it goes on by itself, nothing/);
    expect(text('Strange')).toMatch(/the store refuses \(Strange\); mend that/);
  });
});

test('one of them is told as one: jobs after a cancel, workflows of the engine', () => {
  const told = (stillRunning: number): string => {
    const lines: string[] = [];
    const session = {
      isJson: false,
      origins: new Map(),
      terminal: { data: (line: string) => lines.push(line), warn: () => undefined },
    };
    const left = { stillRunning, untilMs: undefined };
    tellCancelled({ session, batch: 'shots', out: 'out' } as unknown as KnownBatch, { left, counts: null });
    return lines.join('\n');
  };
  expect(told(1)).toContain('1 job was accepted by the service before: it renders on, is billed, and is fetched\n');
  expect(told(2)).toContain('2 jobs were accepted by the service before: they render on, are billed, and are fetched');

  const batches = (otherWork: number): string | undefined => {
    const own = {
      state: 'running',
      logs: { engine: 'x' },
      startedAtMs: 0,
      dataFolder: '/d',
      address: null,
      uiAddress: null,
      accounts: [],
    };
    const parts = { server: { restarts: 0 }, worker: { restarts: 0 }, openBatches: 1, otherWork, endsAtMs: null };
    return engineLines({ ...own, ...parts } as unknown as EngineState).find((line) => line.startsWith('batches'));
  };
  expect([batches(0), batches(1), batches(2)]).toEqual([
    'batches   1 open',
    'batches   1 open, and 1 other workflow',
    'batches   1 open, and 2 other workflows',
  ]);
});

test('small words', () => {
  expect([0, 999, 1_000, 61_000, 3_600_000, 7_260_000, 90_000_000].map(formatDuration)).toEqual([
    '0 s',
    '999 ms',
    '1 s',
    '1 min 1 s',
    '1 h',
    '2 h 1 min',
    '1 d 1 h',
  ]);
  expect(countsText(NONE)).toBe('nothing finished yet');
  expect([spentWords(0, 0), spentWords(CREDIT, 1)]).toEqual(['0 credits', '1 credits, the cost of 1 row is not known']);
});
