// F52 with F54: the machine's clock is set back and the semaphore begins anew: it numbers its grants from an earlier time.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { granted } from '../../src/contract/messages.js';
import type { JobInput } from '../../src/contract/workflows.js';
import { job } from '../../workflows/job.js';
import { beginRun, tell } from './support/one-run.js';

const { home, submit } = vi.hoisted(() => ({
  home: { finishRow: async () => undefined, ensureSemaphore: async () => undefined },
  submit: vi.fn(),
}));

vi.mock('@temporalio/workflow', async (original) => {
  const { workflowModule } = await import('./support/one-run.js');
  return workflowModule(original, () => ({ signal: async () => undefined }));
});
vi.mock('../../workflows/proxies.js', () => ({ homeProxy: () => home, submitProxy: () => ({ submit }) }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a job takes a grant whose number is below that of one it gave back, and none that it gave back', async () => {
  const input: JobInput = {
    row: { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r1', kind: 'svc/image' },
    ...{ account: 'a', timeScale: 1, begins: 'submit', attempts: 0, policy: { ambiguity: 'hold', retries: 0 } },
  };
  submit.mockResolvedValue({ outcome: 'refused', n: 1, next: 'wait_slot' });
  beginRun();
  void job(input);
  const tellGrant = async (grant: number) => {
    tell(granted, { grant, expected: null });
    await vi.advanceTimersByTimeAsync(1_000);
    return submit.mock.calls.map(([{ grant }]) => grant);
  };
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await tellGrant(1_700_003_600_000)).toEqual([1_700_003_600_000]);
  expect(await tellGrant(1_700_003_600_000)).toEqual([1_700_003_600_000]);
  expect(await tellGrant(1_700_000_000_000)).toEqual([1_700_003_600_000, 1_700_000_000_000]);
});
