// An order of `limits` reaches its batch however many share the account (design 4; design 10).
import { expect, it, vi } from 'vitest';
import { DEFAULT_SLOT_TERMS } from '../../src/domain/batch.js';
import { newPermits } from '../../workflows/permits.js';
import { openAccountWatch } from '../../workflows/semaphore-work.js';
import { takeTerms } from '../../workflows/shares.js';

const { readLimits } = vi.hoisted(() => ({ readLimits: vi.fn() }));
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  patched: () => true,
}));
vi.mock('../../workflows/proxies.js', () => ({
  accountProxy: () => ({}),
  homeProxy: () => ({ readLimits }),
  localProxy: () => ({}),
  routineReadProxy: () => ({}),
}));

it('reads the terms of all batches after an order, a part at a time', async () => {
  const names = Array.from({ length: 250 }, (_, i) => `batch-${i}`);
  const termsOf = (batches: readonly string[], priority: number) =>
    batches.map((batch) => ({ batch, ...DEFAULT_SLOT_TERMS, priority }));
  const state = newPermits(30_000, 0);
  for (const batch of names) state.waiting.push({ job: { batch, id: 'r' }, kind: 'svc/image', sinceMs: 0 });
  takeTerms(state, termsOf(names, 0), 0);
  readLimits.mockImplementation(async ({ batches }: { batches: string[] }) => ({
    concurrent: 5,
    batches: termsOf(batches, 3),
  }));
  state.limitsDue = 1;
  await new Promise<void>((resolve) => {
    openAccountWatch({ account: 'a', timeScale: 1 }, state, resolve).learnLimits();
  });
  expect(Object.values(state.shares).filter(({ priority }) => priority === 3)).toHaveLength(250);
  expect(readLimits.mock.calls.map(([{ batches }]) => batches.length)).toEqual([200, 50]);
  expect(state.limitsDue).toBeUndefined();
});
