// A row whose answer was found after all takes its place in the window again (design 4, `batch`).
import { beforeEach, expect, it, vi } from 'vitest';
import type { Job } from '../../workflows/job-work.js';
import { settleCase } from '../../workflows/settle-case.js';

const heard: unknown[] = [];

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  patched: () => true,
  sleep: async () => undefined,
  getExternalWorkflowHandle: () => ({ signal: async (_: unknown, message: unknown) => void heard.push(message) }),
}));
vi.mock('../../workflows/proxies.js', () => ({ homeProxy: () => ({}) }));
vi.mock('../../workflows/confirm-handles.js', () => ({ recoverAnswer: async () => 'job' }));

beforeEach(() => heard.splice(0));

it('tells its batch that the case is over', async () => {
  const work = { input: { account: 'a', row: { batch: 'b', id: 'r', kind: 0 }, timeScale: 1 }, n: 1 };
  expect(await settleCase(work as unknown as Job)).toEqual({ step: 'poll' });
  expect(heard).toEqual([{ id: 'r' }, { id: 'r', isOver: true }]);
});
