// Orders that no page of a batch brings: given while it ends, and about a row that left the manifest.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import type { BatchInput, RowRef } from '../../src/contract/workflows.js';
import { batch } from '../../workflows/batch.js';
import { beginRun, type HandedOver, tell } from './support/one-run.js';

const { home, whole } = vi.hoisted(() => ({
  home: { pageRows: vi.fn(), startJobs: vi.fn(), reopenRow: vi.fn(), ensureSemaphore: vi.fn() },
  whole: { writeResults: vi.fn(), closeBooks: vi.fn() },
}));

// A message to another workflow takes its time.
vi.mock('@temporalio/workflow', async (original) => {
  const { workflowModule } = await import('./support/one-run.js');
  return workflowModule(original, () => ({ signal: () => new Promise((resolve) => setTimeout(resolve, 1_000)) }));
});
vi.mock('../../workflows/proxies.js', async () => (await import('./support/one-run.js')).batchProxies(home, whole));

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  const nothing = { entries: [], next: null, isShort: false, creditsNano: 0, creditsUnknown: 0, cap: 5 };
  home.pageRows.mockResolvedValue({ batch: 'b', part: 0, ...nothing, finished: { done: 1 } });
});
afterEach(() => void vi.useRealTimers());

const input: BatchInput = {
  ...{ account: 'a', batch: 'b', timeScale: 1, policy: { ambiguity: 'hold', retries: 0 } },
};
const row: RowRef = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r1', kind: 'svc/image' };
const begin = () => {
  beginRun();
  return batch(input).catch((error: HandedOver<BatchInput>) => error);
};

it('a row that goes on is not forgotten while the pause of its batch is being lifted', async () => {
  whole.writeResults.mockImplementationOnce(async () => void tell(messages.pauseBatch));
  const ended = begin();
  tell(messages.supply, { generation: 'g', rows: 1, retry: null });
  await vi.advanceTimersByTimeAsync(500);
  expect(whole.writeResults).toHaveBeenCalledTimes(1);
  tell(messages.reopen, { generation: 'g', rows: 1, row });
  await vi.advanceTimersByTimeAsync(5_000);
  const next = await Promise.race([ended, Promise.resolve('it goes on still')]);
  expect(next).toMatchObject({ name: 'HandedOver', input: { state: { reopened: [row] } } });
});

it('begun for a row that left the manifest, it looks at that row, which no page brings', async () => {
  home.reopenRow.mockResolvedValue({ outcome: 'restart', begins: 'poll', attempts: 1 });
  void begin();
  const left = { ...row, generation: 'g0' };
  tell(messages.reopen, { generation: 'g', rows: 1, row: left, isRerun: true });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(home.reopenRow).toHaveBeenCalledWith(expect.objectContaining({ row: left }));
  expect(home.startJobs).toHaveBeenCalledTimes(1);
});
