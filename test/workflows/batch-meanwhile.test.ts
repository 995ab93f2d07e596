// What comes while a batch is at something else: orders by the thousand, a second cancel, an end behind its back, a pause
// while no semaphore runs.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import type { BatchInput, BatchProgress } from '../../src/contract/workflows.js';
import { batch } from '../../workflows/batch.js';
import { beginRun, tell } from './support/one-run.js';
import { pageEntry, pageOf } from './support/page-entry.js';

const { home, whole, told } = vi.hoisted(() => ({
  told: { cancelled: [] as string[], signals: [] as string[], isGone: false },
  home: {
    pageRows: vi.fn(),
    startJobs: vi.fn(),
    ensureSemaphore: vi.fn(),
  },
  whole: { writeResults: vi.fn(), closeBooks: vi.fn() },
}));

vi.mock('@temporalio/workflow', async (original) => {
  const { oneRun } = await import('./support/one-run.js');
  return {
    ...(await original<typeof import('@temporalio/workflow')>()),
    ...oneRun,
    getExternalWorkflowHandle: (id: string) => ({
      async signal({ name }: { name: string }) {
        if (told.isGone) throw new Error('no such workflow');
        told.signals.push(name);
      },
      cancel: async () => void told.cancelled.push(id),
    }),
  };
});
vi.mock('../../workflows/proxies.js', async () => (await import('./support/one-run.js')).batchProxies(home, whole));

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  Object.assign(told, { cancelled: [], signals: [], isGone: false });
});
afterEach(() => void vi.useRealTimers());

const input: BatchInput = {
  ...{ account: 'a', batch: 'b', timeScale: 1, policy: { ambiguity: 'hold', retries: 0 } },
};
const progress = () => tell<undefined, BatchProgress>(messages.batchProgress);
const soon = () => vi.advanceTimersByTimeAsync(2_000);

/** One row is open; the others stand with a person. */
async function beginWith(review: number): Promise<void> {
  home.pageRows.mockResolvedValueOnce(
    pageOf({ entries: [pageEntry(0, 'r0', 6)], next: null, finished: review > 0 ? { review } : {} }),
  );
  beginRun();
  void batch(input).catch(() => undefined);
  tell(messages.supply, { generation: 'g', rows: review + 1, retry: null });
  await soon();
}

it('a pause that finds no semaphore has one started: the batch would fail of the signal', async () => {
  await beginWith(0);
  told.isGone = true;
  home.ensureSemaphore.mockImplementation(async () => {
    told.isGone = false;
  });
  await tell<undefined, Promise<void>>(messages.pauseBatch);
  expect(told.signals).toEqual(['pause']);
  expect(progress()).toMatchObject({ phase: 'paused' });
});

it('a row that comes right while the results are written is in them', async () => {
  home.pageRows.mockResolvedValueOnce(pageOf({ entries: [], next: null, finished: { lost_paid: 1 } }));
  let written = (): void => undefined;
  whole.writeResults.mockImplementationOnce(
    () =>
      new Promise<void>((resolve) => {
        written = resolve;
      }),
  );
  beginRun();
  void batch(input);
  tell(messages.supply, { generation: 'g', rows: 1, retry: null });
  await soon();
  // The job that a late handle began is no row of the batch: it has ended before.
  tell(messages.rowFinished, { id: 'r0', status: 'done', creditsNano: 5 });
  written();
  await soon();
  expect(whole.writeResults).toHaveBeenCalledTimes(2);
  expect(progress()).toMatchObject({ phase: 'ended' });
});
