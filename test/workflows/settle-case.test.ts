// A row whose answer was found after all takes its place in the window again (design 4, `batch`).
import { beforeEach, expect, it, vi } from 'vitest';
import type { JobInput } from '../../src/contract/workflows.js';
import { firstState, stepAfter } from '../../workflows/job-state.js';
import type { JobParts } from '../../workflows/job-steps.js';
import { settleCase } from '../../workflows/settle-case.js';

const noted: unknown[] = [];

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  sleep: async () => undefined,
}));
vi.mock('../../workflows/proxies.js', () => ({
  homeProxy: () => ({}),
  downloadProxy: () => ({ fetchSalvaged: async () => 'done' }),
}));

beforeEach(() => noted.splice(0));

it('tells its batch that the case is over', async () => {
  const row = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r', kind: 'svc/image' as const };
  const policy = { ambiguity: 'hold' as const, retries: 0 };
  const state = firstState({ row, begins: 'case', attempts: 1, policy, account: 'a', timeScale: 1 } satisfies JobInput);
  const parts = { account: 'a', timeScale: 1, looks: () => 0 } as JobParts;
  const happened = await settleCase(parts, state, async (end) => void noted.push(end));
  const { do: effects, next } = stepAfter(state, happened);
  expect([noted, effects, next]).toEqual([[{}], [{ do: 'note case', end: { isOver: true } }], { step: 'download' }]);
});
