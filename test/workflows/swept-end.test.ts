// An end that only the sweep brings counts like one that was reported: it makes room in the budget, and lifts what its output held.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import type { BatchInput, BatchProgress } from '../../src/contract/workflows.js';
import { batch } from '../../workflows/batch.js';
import { beginRun, tell } from './support/one-run.js';
import { pageEntry, pageOf } from './support/page-entry.js';

const { home, whole, signals } = vi.hoisted(() => ({
  signals: [] as string[],
  home: {
    sweepRows: vi.fn(),
    finishRow: vi.fn(),
    pageRows: vi.fn(),
    readSpent: vi.fn(),
    startJobs: vi.fn(),
    ensureSemaphore: vi.fn(),
    markStopped: vi.fn(),
  },
  whole: { writeResults: vi.fn(), closeBooks: vi.fn() },
}));

vi.mock('@temporalio/workflow', async (original) => {
  const { workflowModule } = await import('./support/one-run.js');
  return workflowModule(original, () => ({
    async signal({ name }: { name: string }, message: { reason?: string }) {
      signals.push(`${name} ${message?.reason ?? ''}`);
    },
    cancel: async () => undefined,
  }));
});
vi.mock('../../workflows/proxies.js', async () => (await import('./support/one-run.js')).batchProxies(home, whole));

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  signals.length = 0;
  home.readSpent.mockResolvedValue({ endedNano: 0, openNano: 0, unbounded: 0 });
});
afterEach(() => void vi.useRealTimers());

const input: BatchInput = {
  ...{ account: 'a', batch: 'b', timeScale: 1, policy: { ambiguity: 'hold', retries: 0 } },
};
const progress = () => tell<undefined, BatchProgress>(messages.batchProgress);

async function oneOpen(isShort: boolean, maxCreditsNano: number | null): Promise<void> {
  home.pageRows.mockResolvedValueOnce(
    pageOf({ entries: [pageEntry(0, 'r1', 6)], next: { part: 0, index: 1 }, isShort }),
  );
  home.pageRows.mockResolvedValue(pageOf({ entries: [], next: null, finished: { done: 1 } }));
  beginRun();
  void batch(input).catch(() => undefined);
  const limits = { maxCreditsNano, maxFailures: null };
  // As many rows as the window has are open but for this one.
  tell(messages.supply, { generation: 'g', rows: 2, retry: null, limits });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(progress()).toMatchObject({ open: 1 });
}

it('the row behind one that was too dear comes once that one has ended cheaply, whoever says so', async () => {
  await oneOpen(true, 10);
  expect(home.pageRows).toHaveBeenCalledTimes(1);
  home.sweepRows.mockResolvedValue({ rows: [{ id: 'r1', state: 'finished', status: 'done', creditsNano: 1 }], cap: 5 });
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  expect(progress()).toMatchObject({ open: 0, counts: { done: 2 } });
});

it('a batch that an output held goes on once that row has ended, whoever says so', async () => {
  await oneOpen(true, 10);
  tell(messages.outputBlocked, { id: 'r1', code: 'ENOSPC' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(progress()).toMatchObject({ phase: 'paused' });
  home.sweepRows.mockResolvedValue({ rows: [{ id: 'r1', state: 'finished', status: 'done', creditsNano: 1 }], cap: 5 });
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  expect(signals).toContain('resume outputs');
});
