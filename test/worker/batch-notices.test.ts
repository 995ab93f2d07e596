// What a worker tells of a batch that runs, as a real webhook hears it: budget, pauses, and no progress for a while.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BooksOver, openBooks } from '../../src/books/open-books.js';
import { noCounts } from '../../src/domain/outcome.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { noteLanded, noteLate } from '../../src/home/late-outputs.js';
import { markOf, type Notices, openNotices } from '../../src/home/notices.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createBatchNotices } from '../../src/worker/notices.js';
import { startWebhook, type Webhook } from '../support/webhook.js';

const T0 = Date.parse('2026-05-01T00:00:00Z');
const RENDER_MAX_MS = 3_600_000;
let hook: Webhook;
let nowMs: number;
let spentNano: number;
let counts: Record<string, number>;
let kept: Notices;
let logged: Record<string, unknown>[];
let running: { batch: string }[];
let ended: { batch: string; atMs: number }[];
/** What Temporal does not answer for. */
let broken: string[];
let pauses: { reason: string; sinceMs: number; batch?: string }[];

beforeEach(async () => {
  hook = await startWebhook();
  nowMs = T0;
  spentNano = 0;
  counts = { ...noCounts(), done: 1 };
  pauses = [];
  logged = [];
  running = [{ batch: 'shots' }];
  ended = [];
  broken = [];
});
afterEach(() => hook.close());

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
      for (const { batch } of listed) yield { workflowId: `callsheet/a/batch/${batch}`, runId: 'r' };
    },
    getHandle: (id: string) => ({
      query: async () =>
        answer(id, id.endsWith('/semaphore') ? { pauses } : { counts, creditsNano: spentNano, creditsUnknown: 0 }),
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
  if (isEarlier) await kept.since(T0);
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(records.home, 'shots', {
    limits: { maxCreditsNano: 1_000_000_000, maxFailures: null },
    policy,
    ...(named && { notify: named.map(markOf) }),
  });
  const book = { ...records.book, endedOf: async () => ({ upToNano: spentNano, unbounded: [], has: () => false }) };
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
  const notices = createBatchNotices(temporalOfBatches(), openBooks(deps as unknown as BooksOver));
  const look = async (afterMs: number) => {
    nowMs += afterMs;
    await notices.look();
  };
  return Object.assign(look, { home: records.home });
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
  counts = { ...counts, review: 2 };
  await look(0);
  await look(1_000);
  expect(news('type', 'counts')).toEqual([['review_needed', { review: 2, lost_paid: 0 }]]);
});

test('a batch that does not answer keeps neither another one nor what waits from being told; it is logged once', async () => {
  const look = await watch();
  running = [{ batch: 'damaged' }, { batch: 'shots' }];
  broken = ['damaged'];
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
  counts = { ...counts, review: 1 };
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
  counts = { ...counts, review: 2 };
  await look(0);
  expect(await kept.waiting('shots')).toEqual([]);
  expect((await kept.told('shots')).told).toEqual(['review']);
});

test('what waits for a target that the settings do not name is kept for whoever names it', async () => {
  const look = await watch({ named: ['https://hooks.example.com/gone'] });
  counts = { ...counts, review: 2 };
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
