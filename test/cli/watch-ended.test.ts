// `watch` of a batch whose last rows end while it reaches for whoever works on them.
import { expect, test, vi } from 'vitest';
import { noCounts } from '../../src/domain/outcome.js';
import { rowRecord } from '../support/row-record.js';
import { seededHome, T0 } from './seeded-home.js';

const { reached } = vi.hoisted(() => ({ reached: { meanwhile: async (): Promise<void> => undefined } }));

vi.mock('../../src/cli/access/work-access.js', async (original) => ({
  ...(await original<typeof import('../../src/cli/access/work-access.js')>()),
  async rejoinWork() {
    await reached.meanwhile();
    const handle = {
      describe: async () => ({ status: { name: 'COMPLETED' } }),
      result: async () => ({ counts: { ...noCounts(), done: 2 }, creditsNano: 0, creditsUnknown: 0 }),
    };
    const client = {
      connection: { withDeadline: (_ms: number, look: () => unknown) => look() },
      workflow: { getHandle: () => handle },
    };
    return { isShared: true, temporal: { client }, close: async () => undefined };
  },
}));

const seeded = () => seededHome('b', [{ id: 'one', record: {} }, { id: 'two' }]);

test('it tells the end that came meanwhile', async () => {
  const home = await seeded();
  const ended = rowRecord({ id: 'two', kind: 'vendor-f/video', finishedAtMs: T0 + 90_000, rowHash: 'hash-two' });
  reached.meanwhile = () => home.records.writeRecord('b', ended);
  const { exitCode, stdout, stderr } = await home.run('watch', 'b', '--json');
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('does not run')]);
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ type: 'batch_finished', counts: { done: 2 } });
});

test('rows that nobody works on are named with the order that goes on', async () => {
  const home = await seeded();
  reached.meanwhile = async () => undefined;
  const { exitCode, stderr } = await home.run('watch', 'b');
  expect([exitCode, stderr]).toEqual([7, expect.stringMatching(/does not run, and 1 row is not finished: .*resume b/)]);
});
