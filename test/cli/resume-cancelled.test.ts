// `resume` of a batch that was cancelled and fetches what it has at the service: the cancel stands, and that is said.
import { expect, test, vi } from 'vitest';
import { isCancelledBatch, markCancelled } from '../../src/home/batch-marks.js';
import { seededHome, T0 } from './seeded-home.js';

vi.mock('../../src/cli/access/work-access.js', async (original) => ({
  ...(await original<typeof import('../../src/cli/access/work-access.js')>()),
  async resumeWork() {
    const handle = {
      describe: async () => ({ status: { name: 'RUNNING' } }),
      signal: async () => undefined,
      query: async () => ({ pauses: [] }),
    };
    const client = {
      connection: { withDeadline: (_ms: number, look: () => unknown) => look() },
      workflow: { getHandle: () => handle },
    };
    return { isShared: false, temporal: { client }, close: async () => undefined };
  },
}));

test.each([
  ['a cancel stands, and that is said', true],
  ['of a batch that nobody cancelled nothing of that is said', false],
])('%s', async (_what, isCancelled) => {
  const home = await seededHome('b', [{ id: 'one', states: [{ state: 'created', atMs: T0 + 1, handle: 'h' }] }]);
  if (isCancelled) await markCancelled(home.home, 'b', T0);
  const { exitCode, stdout, stderr } = await home.run('resume', 'b');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("'b' goes on")]);
  expect(/'b' was cancelled: .*`callsheet retry b .*`/.test(stderr)).toBe(isCancelled);
  expect(await isCancelledBatch(home.home, 'b')).toBe(isCancelled);
});
