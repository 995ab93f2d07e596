// A job that is held back each time that it has its slot hands over before its history is long (I17).
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as messages from '../../src/contract/messages.js';
import type { JobInput, RowRef } from '../../src/contract/workflows.js';
import { job } from '../../workflows/job.js';
import { beginRun, type HandedOver, tell } from './support/one-run.js';

const { submit, grants } = vi.hoisted(() => ({ submit: vi.fn(), grants: { last: 0 } }));

vi.mock('@temporalio/workflow', async (original) => {
  const { oneRun, currentRun } = await import('./support/one-run.js');
  return {
    ...(await original<typeof import('@temporalio/workflow')>()),
    ...oneRun,
    // What nobody tells is never told: not looked for four times a second for each submit.
    condition: (isMet: () => boolean, timeout?: string) =>
      timeout === undefined && !isMet() ? new Promise(() => undefined) : oneRun.condition(isMet, timeout),
    getExternalWorkflowHandle: () => ({
      async signal({ name }: { name: string }) {
        // Initiated, signalled, and the task around them.
        currentRun().historyLength += 5;
        if (name !== 'acquire') return;
        grants.last += 1;
        currentRun().historyLength += 4;
        tell(messages.granted, { grant: grants.last, expected: null });
      },
    }),
  };
});
vi.mock('../../workflows/proxies.js', () => ({
  homeProxy: () => ({}),
  downloadProxy: () => ({}),
  submitProxy: () => ({ submit }),
  localProxy: () => ({}),
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const row: RowRef = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r1', kind: 'svc/image' };

it('of a batch that its home holds back and nobody told the semaphore of, a job does not grow for a day', async () => {
  const run = beginRun();
  // An activity: scheduled, started, completed, and a task; and the timer of the wait.
  submit.mockImplementation(async () => {
    run.historyLength += 11;
    return { outcome: 'held' };
  });
  const input: JobInput = {
    ...{ row, begins: 'submit', attempts: 0, policy: { ambiguity: 'hold', retries: 2 } },
    ...{ account: 'a', timeScale: 1 },
  };
  const ended = job(input).catch((error: HandedOver<JobInput>) => error);
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  const next = await Promise.race([ended, Promise.resolve('it goes on still')]);
  expect(run.historyLength).toBeLessThan(4_096);
  expect(next).toMatchObject({ name: 'HandedOver' });
});
