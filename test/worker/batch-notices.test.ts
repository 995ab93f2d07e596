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
import { createFolderStore } from '../../src/store/folder.js';
import { createBatchNotices } from '../../src/worker/notices.js';
import { startWebhook, type Webhook } from '../support/webhook.js';

const T0 = Date.parse('2026-05-01T00:00:00Z');
const RENDER_MAX_MS = 3_600_000;
let hook: Webhook;
let nowMs: number;
let spentNano: number;
let counts: Record<string, number>;
let isRunning: boolean;
let pauses: { reason: string; sinceMs: number; batch?: string }[];

beforeEach(async () => {
  hook = await startWebhook();
  nowMs = T0;
  spentNano = 0;
  counts = { ...noCounts(), done: 1 };
  pauses = [];
  isRunning = true;
});
afterEach(() => hook.close());

/** The Temporal of one batch that runs: what its two queries answer. */
function temporalOfOneBatch(): Client {
  const workflow = {
    async *list({ query }: { query: string }) {
      if (query.includes('Running') && isRunning) yield { workflowId: 'callsheet/a/batch/shots', runId: 'r' };
    },
    getHandle: (id: string) => ({
      query: async () =>
        id.endsWith('/semaphore') ? { pauses } : { counts, creditsNano: spentNano, creditsUnknown: 0 },
    }),
  };
  return { workflow } as unknown as Client;
}

async function watch() {
  const records = openAccountRecords(createFolderStore(mkdtempSync(join(tmpdir(), 'callsheet-told-'))), 'a');
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(records.home, 'shots', {
    limits: { maxCreditsNano: 1_000_000_000, maxFailures: null },
    policy,
  });
  const book = { ...records.book, endedOf: async () => ({ upToNano: spentNano, unbounded: [], has: () => false }) };
  const settings = {
    ...{ account: 'a', timeScale: 1, waits: { syncMaxMs: 60_000, renderMaxMs: { 'svc/image': RENDER_MAX_MS } } },
    notices: { targets: [{ to: hook.url, isOwn: true }], secret: null },
  };
  const deps = { ...records, book, settings, log: { warn: () => undefined }, now: () => nowMs };
  const notices = createBatchNotices(temporalOfOneBatch(), openBooks(deps as unknown as BooksOver));
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

test('an output that came late is told once its batch does not run, with the order that runs what it feeds', async () => {
  const look = await watch();
  await noteLanded(look.home, 'shots', 'shot', T0);
  isRunning = false;
  await look(1_000);
  expect(news('type')).toEqual([]);
  await noteLate(look.home, 'shots', 'hero', T0);
  await noteLanded(look.home, 'shots', 'hero', T0);
  isRunning = true;
  await look(1_000);
  expect(news('type')).toEqual([]);
  isRunning = false;
  await look(1_000);
  await look(1_000);
  const text = 'callsheet shots: an output came after what it feeds had ended: `callsheet retry shots` runs that';
  expect(news('type', 'text')).toEqual([['late_output', text]]);
});
