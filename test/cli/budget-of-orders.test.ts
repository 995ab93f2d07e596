import { expect, test } from 'vitest';
import type { KnownBatch } from '../../src/cli/batch/known-batch.js';
import { refuseOverBudget } from '../../src/cli/review/dependents.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { seededHome } from './seeded-home.js';

const CREDIT = 1_000_000_000;

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
