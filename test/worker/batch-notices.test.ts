// What a worker tells of a batch, as a real webhook hears it: budget, pauses, rows for a person, no progress for a while.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BooksOver, openBooks } from '../../src/books/open-books.js';
import { noCounts, type RowRecord, type Status } from '../../src/domain/outcome.js';
import { type AccountRecords, openAccountRecords } from '../../src/home/account-records.js';
import { markCancelled, writeSampleGate } from '../../src/home/batch-marks.js';
import { readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { noteLanded, noteLate } from '../../src/home/late-outputs.js';
import { markOf, type Notices, openNotices } from '../../src/home/notices.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createBatchNotices } from '../../src/worker/notices.js';
import { storedRow, wholeRecord } from '../home/support/examples.js';
import { startWebhook, type Webhook } from '../support/webhook.js';

const T0 = Date.parse('2026-05-01T00:00:00Z');
const RENDER_MAX_MS = 3_600_000;
const MINUTE_MS = 60_000;
let hook: Webhook;
let nowMs: number;
let spentNano: number;
let counts: Record<Status, number>;
let phase: string;
let kept: Notices;
let logged: Record<string, unknown>[];
let running: { batch: string }[];
let ended: { batch: string; atMs: number; run?: string }[];
/** What Temporal does not answer for. */
let broken: string[];
let pauses: { reason: string; sinceMs: number; batch?: string }[];

beforeEach(async () => {
  hook = await startWebhook();
  nowMs = T0;
  spentNano = 0;
  counts = { ...noCounts(), done: 1 };
  phase = 'running';
  pauses = [];
  logged = [];
  running = [{ batch: 'shots' }];
  ended = [];
  broken = [];
});
afterEach(() => hook.close());

/** The rows of each batch. */
const ROWS = 8;

/** The Temporal of batches that run, one if no others are named, and that have ended: what it answers of them. */
function temporalOfBatches(): Client {
  const answer = (id: string, value: unknown) => {
    if (broken.some((name) => id.endsWith(`/${name}`))) throw new Error(`${id} does not answer`);
    return value;
  };
  const workflow = {
    async *list({ query }: { query: string }) {
      const since = Date.parse(/CloseTime >= '(.*)'/.exec(query)?.[1] ?? '');
      const listed = query.includes('Running') ? running : ended.filter(({ atMs }) => atMs >= since);
      for (const { batch, run } of listed as typeof ended) {
        yield { workflowId: `callsheet/a/batch/${batch}`, runId: run ?? 'r' };
      }
    },
    getHandle: (id: string) => ({
      query: async () =>
        answer(
          id,
          id.endsWith('/semaphore')
            ? { pauses }
            : { phase, startedAtMs: T0, counts, creditsNano: spentNano, creditsUnknown: 0 },
        ),
      result: async () => answer(id, { counts, creditsNano: 0, creditsUnknown: 0 }),
    }),
  };
  return { workflow } as unknown as Client;
}

interface Told {
  /** The targets that the command of the batch named; else all of the settings. */
  named?: string[];
  /** Those of the settings. */
  targets?: string[];
  /** A worker before this one knew a target. */
  isEarlier?: boolean;
}

async function watch({ named, targets = [hook.url], isEarlier = false }: Told = {}) {
  const records = openAccountRecords(createFolderStore(mkdtempSync(join(tmpdir(), 'callsheet-told-'))), 'a');
  kept = openNotices(records.home);
  for (const batch of ['shots', 'damaged']) await writeRows(records, batch);
  if (isEarlier) await kept.since(T0);
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(records.home, 'shots', {
    limits: { maxCreditsNano: 1_000_000_000, maxFailures: null },
    policy,
    ...(named && { notify: named.map(markOf) }),
  });
  const endedOf = async () => ({ upToNano: spentNano, unbounded: [], judged: [], has: () => false });
  const book = { ...records.book, endedOf };
  const settings = {
    ...{ account: 'a', timeScale: 1, waits: { syncMaxMs: 60_000, renderMaxMs: { 'svc/image': RENDER_MAX_MS } } },
    notices: targets.map((to) => ({ to, isOwn: true, secret: null, isKept: false })),
  };
  const deps = {
    ...records,
    book,
    settings,
    log: { warn: (facts: Record<string, unknown>) => void logged.push(facts) },
    now: () => nowMs,
  };
  const begin = () => createBatchNotices(temporalOfBatches(), openBooks(deps as unknown as BooksOver));
  let notices = begin();
  const look = async (afterMs: number) => {
    nowMs += afterMs;
    await notices.look();
  };
  const restart = () => {
    notices = begin();
  };
  /** A row ends now as one that needs a person; the run counts it. */
  const end = async (index: number, over: Partial<RowRecord> = {}, batch = 'shots') => {
    const record = wholeRecord(`row-${index}`, { status: 'review', finishedAtMs: nowMs, ...over });
    await records.records.writeRecord(batch, record);
    counts = { ...counts, [record.status]: counts[record.status] + 1 };
  };
  return Object.assign(look, { home: records.home, restart, end });
}

async function writeRows({ home, rows }: AccountRecords, batch: string): Promise<void> {
  const writer = createRowsWriter(home.store, 'a', batch);
  for (let index = 0; index < ROWS; index += 1) await writer.add(storedRow(index));
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  await rows.setCurrentGeneration(batch, generation);
}

/** What arrived since it was asked last. */
let heard = 0;
beforeEach(() => {
  heard = 0;
});
function news(...fields: string[]): unknown[] {
  const fresh = hook.arrived.slice(heard).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  heard = hook.arrived.length;
  return fresh.map((one) => fields.map((field) => one[field]));
}

test('50, 80 and 100 % of the budget arrive, each once', async () => {
  const look = await watch();
  const steps: unknown[] = [];
  for (const nano of [490e6, 500e6, 700e6, 810e6, 990e6, 1_000e6, 1_000e6]) {
    spentNano = nano;
    await look(61_000);
    steps.push(...news('type', 'percent', 'batch', 'credits'));
  }
  expect(steps).toEqual([
    ['budget', 50, 'shots', '0.5'],
    ['budget', 80, 'shots', '0.81'],
    ['budget', 100, 'shots', '1'],
  ]);
});

test('no progress arrives once no row ended for longer than one may render, and again after there was some', async () => {
  const look = await watch();
  await look(0);
  await look(RENDER_MAX_MS);
  expect(news('type')).toEqual([]);
  await look(60_000);
  await look(60_000);
  expect(news('type', 'minutes', 'text')).toEqual([
    ['no_progress', 61, 'callsheet shots: no row has ended for 61 min'],
  ]);
  counts = { ...counts, done: 2 };
  await look(60_000);
  expect(news('type')).toEqual([]);
  await look(RENDER_MAX_MS + 60_000);
  expect(news('type', 'minutes')).toEqual([['no_progress', 61]]);
});

test('no progress arrives though the worker began anew every few minutes', async () => {
  const look = await watch();
  await look(0);
  for (let minutes = 0; minutes < 60; minutes += 5) {
    look.restart();
    await look(2 * MINUTE_MS);
    await look(3 * MINUTE_MS);
  }
  expect(news('type')).toEqual([]);
  look.restart();
  await look(2_000);
  await look(MINUTE_MS);
  look.restart();
  await look(2 * MINUTE_MS);
  expect(news('type', 'minutes')).toEqual([['no_progress', 61]]);
});

test('what is paused, stopped or ordered to pause is not without progress, nor right after that', async () => {
  const look = await watch();
  await look(0);
  phase = 'cancelling';
  await look(2 * RENDER_MAX_MS);
  phase = 'running';
  await look(MINUTE_MS);
  pauses = [{ reason: 'network', sinceMs: nowMs }];
  await look(2 * RENDER_MAX_MS);
  pauses = [];
  await look(MINUTE_MS);
  await pauseByOrder(look.home, true);
  await look(2 * RENDER_MAX_MS);
  await pauseByOrder(look.home, false);
  await look(MINUTE_MS);
  expect(news('type', 'reason')).toEqual([['paused', 'network']]);
  await look(RENDER_MAX_MS);
  expect(news('type', 'minutes')).toEqual([['no_progress', 61]]);
});

/** As a person does, without Temporal having been told. */
async function pauseByOrder(home: AccountRecords['home'], isPaused: boolean): Promise<void> {
  const order = await readBatchOrder(home, 'shots');
  if (order !== undefined) await writeBatchOrder(home, 'shots', { ...order, isPaused });
}

test('a sample is told once, though a row of it is run again', async () => {
  const look = await watch();
  await writeSampleGate(look.home, 'shots', { ids: ['row-1'], atMs: T0 });
  running = [];
  for (const run of ['r1', 'r2']) {
    ended = [{ batch: 'shots', atMs: nowMs, run }];
    await look(2_000);
  }
  expect(news('type')).toEqual([['sampled']]);
});

test('a sample that was cancelled is told as done: its rest waits for no approval', async () => {
  const look = await watch();
  await writeSampleGate(look.home, 'shots', { ids: ['row-1'], atMs: T0 });
  await markCancelled(look.home, 'shots', T0);
  running = [];
  ended = [{ batch: 'shots', atMs: nowMs, run: 'r1' }];
  await look(2_000);
  expect(news('type')).toEqual([['done']]);
});

test('a pause arrives with why, that of another batch does not, and none is no progress', async () => {
  const look = await watch();
  pauses = [
    { reason: 'credits', sinceMs: T0 },
    { reason: 'user', sinceMs: T0, batch: 'other' },
  ];
  await look(0);
  await look(2 * RENDER_MAX_MS);
  expect(news('type', 'reason')).toEqual([['paused', 'credits']]);
  pauses = [{ reason: 'credits', sinceMs: nowMs }];
  await look(1_000);
  expect(news('type', 'reason')).toEqual([['paused', 'credits']]);
});

test('rows that need a person arrive with their number', async () => {
  const look = await watch();
  await look.end(1);
  await look.end(2, { status: 'lost_paid', reasonCode: 'answer_lost_billed' });
  await look(0);
  await look(1_000);
  expect(news('type', 'counts')).toEqual([['review_needed', { review: 1, lost_paid: 1 }]]);
});

test('rows that need a person after that are told together, the last of them at the end', async () => {
  const look = await watch();
  await look.end(1);
  await look(0);
  for (const index of [2, 3, 4]) {
    await look(MINUTE_MS);
    await look.end(index);
  }
  expect(news('type', 'counts')).toEqual([['review_needed', { review: 1, lost_paid: 0 }]]);
  await look(15 * MINUTE_MS);
  await look.end(5);
  await look(MINUTE_MS);
  expect(news('type', 'counts')).toEqual([['review_needed', { review: 4, lost_paid: 0 }]]);
  running = [];
  ended = [{ batch: 'shots', atMs: nowMs }];
  await look(MINUTE_MS);
  await look(MINUTE_MS);
  expect(news('type', 'counts')).toEqual([
    ['review_needed', { review: 5, lost_paid: 0 }],
    ['done', { ...noCounts(), done: 1, review: 5 }],
  ]);
});

test('a later run, by whatever worker, tells of rows that are new there, not of those that it counts again', async () => {
  const look = await watch();
  await look.end(1);
  running = [];
  ended = [{ batch: 'shots', atMs: nowMs, run: 'r1' }];
  await look(0);
  expect(news('type')).toEqual([['review_needed'], ['done']]);
  look.restart();
  running = [{ batch: 'shots' }];
  ended = [];
  for (const review of [0, 1]) {
    counts = { ...noCounts(), review };
    await look(3_600_000);
  }
  expect(news('type')).toEqual([]);
  await look.end(2);
  await look(5 * MINUTE_MS);
  expect(news('type', 'counts')).toEqual([['review_needed', { review: 2, lost_paid: 0 }]]);
});

test('no person is called for an output that is still fetched while the batch runs, nor for a loss that one took', async () => {
  const look = await watch();
  await look.end(1, { reasonCode: 'output_pending' });
  await look.end(2, { status: 'lost_paid', reasonCode: 'marked_lost' });
  await look(0);
  await look(3_600_000);
  expect(news('type')).toEqual([]);
  running = [];
  ended = [{ batch: 'shots', atMs: nowMs }];
  // Nobody looks at a batch that has ended.
  await look(2_000);
  expect(news('type', 'counts').slice(0, 1)).toEqual([['review_needed', { review: 1, lost_paid: 0 }]]);
});

test('a batch that does not answer keeps neither another one nor what waits from being told; it is logged once', async () => {
  const look = await watch();
  running = [{ batch: 'damaged' }, { batch: 'shots' }];
  broken = ['damaged'];
  await look.end(1);
  await look.end(1, {}, 'damaged');
  counts = { ...counts, review: 1 };
  hook.answer = 503;
  await look(0);
  hook.answer = 204;
  await look(2_000);
  expect(news('type', 'batch')).toEqual([
    ['review_needed', 'shots'],
    ['review_needed', 'shots'],
  ]);
  expect(logged).toEqual([{ batch: 'damaged', error: 'Error: callsheet/a/batch/damaged does not answer' }]);
  broken = [];
  await look(2_000);
  expect(news('type', 'batch')).toEqual([['review_needed', 'damaged']]);
});

test('while the slots do not answer what waits is sent', async () => {
  const look = await watch();
  await look.end(1);
  hook.answer = 503;
  await look(0);
  hook.answer = 204;
  broken = ['semaphore'];
  await expect(look(2_000)).rejects.toThrow('semaphore does not answer');
  expect(news('type')).toEqual([['review_needed'], ['review_needed']]);
});

test('an end that could not be read is told when it can, also an hour later', async () => {
  const look = await watch();
  running = [];
  ended = [{ batch: 'shots', atMs: T0 }];
  broken = ['shots'];
  await look(0);
  await look(3_600_000);
  expect(news('type')).toEqual([]);
  broken = [];
  await look(2_000);
  await look(2_000);
  expect(news('type', 'batch')).toEqual([['done', 'shots']]);
});

test('of a batch that names nobody nothing is kept to be sent, and what there was to tell is remembered', async () => {
  const look = await watch({ named: [] });
  pauses = [{ reason: 'credits', sinceMs: T0 }];
  await look.end(1);
  await look(0);
  expect(await kept.waiting('shots')).toEqual([]);
  expect(await kept.told('shots')).toMatchObject({ told: [`paused:credits:${T0}`], forPerson: { rows: 1 } });
});

test('what waits for a target that the settings do not name is kept for whoever names it', async () => {
  const look = await watch({ named: ['https://hooks.example.com/gone'] });
  await look.end(1);
  await look(0);
  expect(news('type')).toEqual([]);
  expect(await kept.waiting('shots')).toMatchObject([
    {
      notice: { type: 'review_needed' },
      waits: [{ mark: markOf('https://hooks.example.com/gone'), label: 'a target that no settings name' }],
    },
  ]);
});

test('that the settings name nobody any more is logged once, where they never named one it is not', async () => {
  const never = await watch({ targets: [] });
  await never(0);
  expect(logged).toEqual([]);
  const look = await watch({ targets: [], isEarlier: true });
  await look(0);
  await look(2_000);
  expect(logged).toEqual([{ account: 'a' }]);
});

test('an output that came late is told once its batch does not run, with the order that runs what it feeds', async () => {
  const look = await watch();
  await noteLanded(look.home, 'shots', 'shot', T0);
  running = [];
  await look(1_000);
  expect(news('type')).toEqual([]);
  await noteLate(look.home, 'shots', 'hero', T0);
  await noteLanded(look.home, 'shots', 'hero', T0);
  running = [{ batch: 'shots' }];
  await look(1_000);
  expect(news('type')).toEqual([]);
  running = [];
  await look(1_000);
  await look(1_000);
  const text = 'callsheet shots: an output came after what it feeds had ended: `callsheet retry shots` runs that';
  expect(news('type', 'text')).toEqual([['late_output', text]]);
});
