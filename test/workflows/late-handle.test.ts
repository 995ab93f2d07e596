// A handle that a callback brought after its row's case was settled (design 3, Recovering a lost handle).
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { beforeEach, expect, it, vi } from 'vitest';
import { lateHandle } from '../../workflows/small-workflows.js';

const { executeChild, sleep, confirmHandle, rewriteResults } = vi.hoisted(() => ({
  executeChild: vi.fn(),
  sleep: vi.fn(),
  confirmHandle: vi.fn(),
  rewriteResults: vi.fn(),
}));
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  executeChild,
  sleep,
  patched: () => true,
}));
vi.mock('../../workflows/proxies.js', () => ({
  accountProxy: () => ({ confirmHandle }),
  wholeBatchProxy: () => ({ rewriteResults }),
}));

beforeEach(() => {
  for (const mock of [executeChild, sleep, confirmHandle, rewriteResults]) mock.mockReset();
});

const row = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r', kind: 'vendor-a/text2video' as const };
const late = () => lateHandle({ account: 'a', row, n: 1, timeScale: 1 });
const isOpen = new WorkflowExecutionAlreadyStartedError('open', 'job', 'job');

it('waits for a job that is just ending without it, then carries the row on from its handle', async () => {
  confirmHandle.mockResolvedValue({ confirmed: true, more: false });
  executeChild.mockRejectedValueOnce(isOpen).mockRejectedValueOnce(isOpen).mockResolvedValueOnce({ status: 'done' });
  await late();
  expect(sleep.mock.calls).toEqual([[5_000], [5_000], [10_000]]);
  expect(executeChild.mock.calls.at(-1)?.[1]).toMatchObject({ args: [{ begins: 'poll', attempts: 1 }] });
  expect(rewriteResults).toHaveBeenCalledOnce();
});

it('leaves the handle to a job that goes on, since it was started again', async () => {
  confirmHandle.mockResolvedValue({ confirmed: true, more: false });
  executeChild.mockRejectedValue(isOpen);
  await late();
  expect(executeChild).toHaveBeenCalledTimes(11);
  expect(rewriteResults).not.toHaveBeenCalled();
});

it('waits as long as the service asks before it gives a handle up (service document 1, Errors)', async () => {
  confirmHandle.mockResolvedValueOnce({ confirmed: false, more: false, open: true, waitMs: 3_600_000 });
  confirmHandle.mockResolvedValueOnce({ confirmed: true, more: false });
  executeChild.mockResolvedValueOnce({ status: 'done' });
  await late();
  expect(sleep.mock.calls).toEqual([[5_000], [3_600_000]]);
  expect(rewriteResults).toHaveBeenCalledOnce();
});

it('changes nothing for a handle that no poll confirms', async () => {
  confirmHandle.mockResolvedValue({ confirmed: false, more: false });
  await late();
  expect([executeChild.mock.calls, rewriteResults.mock.calls]).toEqual([[], []]);
});

it('asks again while the service is away or does not know the job yet, since nobody else does (TH, F35)', async () => {
  confirmHandle.mockResolvedValueOnce({ confirmed: false, more: false, open: true });
  confirmHandle.mockResolvedValueOnce({ confirmed: false, more: false, open: true });
  confirmHandle.mockResolvedValue({ confirmed: true, more: false });
  executeChild.mockResolvedValue({ status: 'done' });
  await late();
  expect(sleep.mock.calls).toEqual([[5_000], [5_000], [10_000]]);
  expect(executeChild).toHaveBeenCalledOnce();
  expect(rewriteResults).toHaveBeenCalledOnce();
});

it('gives up a handle that the service never knows', async () => {
  confirmHandle.mockResolvedValue({ confirmed: false, more: false, open: true });
  await late();
  expect(confirmHandle).toHaveBeenCalledTimes(11);
  expect([executeChild.mock.calls, rewriteResults.mock.calls]).toEqual([[], []]);
});
