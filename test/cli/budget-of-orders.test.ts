import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmulator } from '../../emulator/emulator.js';
import type { KnownBatch } from '../../src/cli/batch/known-batch.js';
import { orderLimits } from '../../src/cli/batch/resume-batch.js';
import { refuseOverBudget } from '../../src/cli/review/dependents.js';
import { markStopped, writeSampleGate } from '../../src/home/batch-marks.js';
import { readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { CREDIT, seededHome, T0 } from './seeded-home.js';

test('an order for single rows is held to the budget of its batch, not to that of a settings file', async () => {
  const access = await seededHome('b', [{ id: 'one', record: {} }]);
  const limits = { maxCreditsNano: 40 * CREDIT, maxFailures: null };
  await writeBatchOrder(access.home, 'b', { limits, policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } });
  const ask = (stake: number, origin: string) => {
    const config = { budget: { maxCredits: 2 * CREDIT }, prices: [] };
    const session = { config, origins: new Map([['budget.maxCredits', { name: origin }]]) };
    const known = { session, access, batch: 'b', generation: { generation: 'g' } } as unknown as KnownBatch;
    return refuseOverBudget(known, { what: 'it', cost: { stakeNano: stake * CREDIT, unknown: 0 }, unbilledNano: 0 });
  };
  await expect(ask(10, 'config file')).resolves.toBeUndefined();
  await expect(ask(10, 'flag')).rejects.toThrow('--max-credits is 2: give a higher one; nothing was changed');
});

test.each([
  ['retry', 'file', /1 row would be submitted \(10 credits\): say --yes or set --max-credits/],
  ['retry', 'flag', /B52 planned 10 credits exceed --max-credits 2:/],
  [
    'approve',
    'file',
    /1 row would be submitted \(10 credits\): say --max-credits <n>, for all of it --max-credits 40;/,
  ],
  ['approve', 'flag', /'b' may cost 40 credits already, and --max-credits 2 is less:/],
])(
  '%s of a batch that has a budget is refused for a lower flag, not for what a settings file says: %s',
  async (command, from, told) => {
    const emulator = await startEmulator({ keys: [{ key: 'sk-svc-test', state: 'active' }] });
    const rows = [{ id: 'one', record: { status: 'failed', reasonCode: 'render_failed' } as const }];
    const home = await seededHome('b', rows, emulator.url);
    const generation = (await home.rows.currentGeneration('b')) ?? '';
    const maxCreditsNano = 40 * CREDIT;
    await writeBatchOrder(home.home, 'b', {
      limits: { maxCreditsNano, maxFailures: null },
      policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
      prices: [{ kind: 'vendor-f/video', components: [{ unit: 'request', credits: '10' }] }],
      ...(command === 'approve' ? { generation, retry: { beforeMs: T0 + 90_000, classes: [] } } : {}),
    });
    if (command === 'approve') {
      await writeSampleGate(home.home, 'b', { ids: [], atMs: 1, approved: { generation, maxCreditsNano, atMs: 2 } });
      await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
    }
    const settings = { budget: { maxCredits: '2' } };
    if (from === 'file') writeFileSync(join(home.folder, 'callsheet.config.json'), JSON.stringify(settings));
    const flags = from === 'flag' ? ['--max-credits', '2'] : [];
    const { exitCode, stderr } = await home.run(command, 'b', ...flags).finally(() => emulator.close());
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(told)]);
  },
);

test.each(['config file', 'default'])(
  'a limit that is ordered comes with the prices that it was judged by: %s',
  async (origin) => {
    const access = await seededHome('b', [{ id: 'one' }]);
    const rule = (credits: string) => ({
      kind: 'vendor-f/video' as const,
      components: [{ unit: 'request' as const, credits }],
    });
    const before = { limits: { maxCreditsNano: null, maxFailures: null }, prices: [rule('1')] };
    await writeBatchOrder(access.home, 'b', { ...before, policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } });
    const session = { config: { prices: [rule('2')] }, origins: new Map([['prices', { name: origin }]]) };
    const known = { session, access, batch: 'b', generation: { generation: 'g' } } as unknown as KnownBatch;
    await orderLimits(known, { maxCreditsNano: 20 * CREDIT, maxFailures: null });
    const order = await readBatchOrder(access.home, 'b');
    expect(order?.limits.maxCreditsNano).toBe(20 * CREDIT);
    expect(order?.prices).toEqual([rule(origin === 'default' ? '1' : '2')]);
  },
);
