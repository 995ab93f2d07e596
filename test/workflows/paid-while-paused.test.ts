// What a paused batch has at the service behind the row that it waits with is followed to its end, and counted once.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import type { BatchInput, BatchProgress } from '../../src/contract/workflows.js';
import { batch } from '../../workflows/batch.js';
import { beginRun, tell } from './support/one-run.js';
import { pageEntry, pageOf } from './support/page-entry.js';

const { home, whole } = vi.hoisted(() => ({
  home: { pageRows: vi.fn(), startJobs: vi.fn(), ensureSemaphore: vi.fn(), readSpent: vi.fn(), sweepRows: vi.fn() },
  whole: { writeResults: vi.fn(), closeBooks: vi.fn() },
}));

vi.mock('@temporalio/workflow', async (original) => {
  const { workflowModule } = await import('./support/one-run.js');
  return workflowModule(original, () => ({ signal: async () => undefined, cancel: async () => undefined }));
});
vi.mock('../../workflows/proxies.js', async () => (await import('./support/one-run.js')).batchProxies(home, whole));

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  home.sweepRows.mockResolvedValue({ rows: [], cap: 5 });
  home.readSpent.mockResolvedValue({ endedNano: 0, openNano: 0, unbounded: 0 });
});
afterEach(() => void vi.useRealTimers());

const input: BatchInput = {
  ...{ account: 'a', batch: 'b', timeScale: 1, policy: { ambiguity: 'hold', retries: 0 } },
};
const progress = () => tell<undefined, BatchProgress>(messages.batchProgress);
const begun = () =>
  home.startJobs.mock.calls.flatMap(([{ begin }]) =>
    begin.map(({ id, begins }: { id: string; begins: string }) => [id, begins]),
  );

it('is found once, and does not wait for the row that is to be sent', async () => {
  const waits = { next: { part: 0, index: 0 }, isPaused: true } as const;
  const paid = { part: 0, entry: pageEntry(1, 'paid', 0, { begins: 'poll' }), isAhead: true } as const;
  home.pageRows.mockResolvedValueOnce(pageOf({ ...waits, paid: { rows: [], next: { part: 0, index: 1 } } }));
  home.pageRows.mockResolvedValueOnce(pageOf({ ...waits, paid: { rows: [paid], next: null } }));
  home.pageRows.mockResolvedValue(pageOf(waits));
  beginRun();
  void batch(input).catch(() => undefined);
  tell(messages.supply, { generation: 'g', rows: 2, retry: null, limits: { maxCreditsNano: null, maxFailures: null } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun()).toEqual([['paid', 'poll']]);
  tell(messages.rowFinished, { id: 'paid', status: 'done', creditsNano: 4 });
  expect(progress()).toMatchObject({ open: 0, counts: { done: 1 }, creditsNano: 4 });
  home.pageRows.mockResolvedValue(
    pageOf({ entries: [pageEntry(0, 'sent', 1)], finished: { done: 1 }, creditsNano: 4 }),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun()).toEqual([
    ['paid', 'poll'],
    ['sent', 'submit'],
  ]);
  expect(progress()).toMatchObject({ open: 1, counts: { done: 1 }, creditsNano: 4 });
  const searched = home.pageRows.mock.calls.map(([{ paidFrom }]) => paidFrom);
  expect(searched.slice(0, 3)).toEqual([{ part: 0, index: 0 }, { part: 0, index: 1 }, undefined]);
});
