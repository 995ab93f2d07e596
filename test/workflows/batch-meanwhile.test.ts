// What comes while a batch is at something else: orders by the thousand, a second cancel, an end behind its back, a pause
// while no semaphore runs.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import type { BatchInput, BatchProgress } from '../../src/contract/workflows.js';
import { batch } from '../../workflows/batch.js';
import { beginRun, type HandedOver, tell } from './support/one-run.js';
import { pageEntry, pageOf } from './support/page-entry.js';

const { home, whole, told } = vi.hoisted(() => ({
  told: { cancelled: [] as string[], signals: [] as string[], isGone: false },
  home: {
    pageRows: vi.fn(),
    startJobs: vi.fn(),
    reopenRow: vi.fn(),
    readSpent: vi.fn(),
    ensureSemaphore: vi.fn(),
  },
  whole: { writeResults: vi.fn(), closeBooks: vi.fn() },
}));

vi.mock('@temporalio/workflow', async (original) => {
  const { workflowModule } = await import('./support/one-run.js');
  return workflowModule(original, (id: string) => ({
    async signal({ name }: { name: string }) {
      if (told.isGone) throw new Error('no such workflow');
      told.signals.push(name);
    },
    cancel: async () => void told.cancelled.push(id),
  }));
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
async function beginWith(review: number) {
  home.pageRows.mockResolvedValueOnce(
    pageOf({ entries: [pageEntry(0, 'r0', 6)], next: null, finished: review > 0 ? { review } : {} }),
  );
  const run = beginRun();
  const ended = batch(input).catch((error: unknown) => error);
  tell(messages.supply, { generation: 'g', rows: review + 1, retry: null });
  await soon();
  return { run, ended };
}

function order(index: number): void {
  const row = { batch: 'b', generation: 'g', part: 0, index, id: `r${index}`, kind: 'svc/image' } as const;
  tell(messages.reopen, { generation: 'g', rows: 1, row, isRerun: true });
}

const AGAIN = { outcome: 'restart', begins: 'submit', attempts: 1, was: { status: 'review', creditsNano: null } };

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

it('I17: rows that are ordered by the thousand go on from run to run', async () => {
  const { run, ended } = await beginWith(2_000);
  home.reopenRow.mockImplementation(async () => {
    run.historyLength += 12;
    return AGAIN;
  });
  for (let index = 1; index <= 2_000; index += 1) order(index);
  await soon();
  const { state } = ((await ended) as HandedOver<BatchInput>).input;
  expect(run.historyLength).toBeLessThan(4_096);
  expect([state?.open.length, state?.reopened?.length]).toEqual([101, 1_900]);
});

it('so many of them are open at once, and each comes in its turn', async () => {
  await beginWith(1_200);
  home.reopenRow.mockResolvedValue(AGAIN);
  for (let index = 1; index <= 1_200; index += 1) order(index);
  await soon();
  expect(progress()).toMatchObject({ open: 1_000 });
  for (let index = 0; index <= 1_200; index += 1) {
    tell(messages.rowFinished, { id: `r${index}`, status: 'done', creditsNano: 1 });
    if (index % 50 === 0) await soon();
  }
  await soon();
  expect(progress()).toMatchObject({ open: 0, counts: { done: 1_201 }, phase: 'ended' });
});

it('a row that was ordered just before a cancel is asked to end with the rest', async () => {
  await beginWith(1);
  home.reopenRow.mockResolvedValue(AGAIN);
  order(1);
  tell(messages.cancelBatch);
  await soon();
  expect(told.cancelled.map((id) => id.at(-1))).toEqual(['0', '1']);
});

it('a second cancel ends what was ordered since the first', async () => {
  await beginWith(1);
  tell(messages.cancelBatch);
  await soon();
  home.reopenRow.mockResolvedValue(AGAIN);
  order(1);
  await soon();
  expect(told.cancelled.map((id) => id.at(-1))).toEqual(['0']);
  tell(messages.cancelBatch);
  await soon();
  expect(told.cancelled.map((id) => id.at(-1))).toEqual(['0', '0', '1']);
});

it('an ordered row that waits for room in the budget is asked to end with the rest, and may pay nothing', async () => {
  await beginWith(1);
  home.readSpent.mockResolvedValue({ endedNano: 0, openNano: 0, unbounded: 0 });
  tell(messages.setBudget, { maxCreditsNano: 10, maxFailures: null });
  await soon();
  home.reopenRow.mockResolvedValue({ ...AGAIN, upToNano: 6 });
  order(1);
  await soon();
  expect(progress()).toMatchObject({ open: 1 });
  tell(messages.cancelBatch);
  await soon();
  expect(told.cancelled.map((id) => id.at(-1))).toEqual(['0', '1']);
  expect(home.startJobs.mock.calls.at(-1)?.[0]).toMatchObject({ begin: [{ id: 'r1', upToNano: 0 }] });
});
