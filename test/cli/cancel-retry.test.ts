// `cancel` after `engine stop`, while rows of a retry had not begun: they keep the records of their ends until then.
import { expect, test } from 'vitest';
import { isCancelledBatch } from '../../src/home/batch-marks.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { seededHome, T0 } from './seeded-home.js';

test.each([
  ['is ended where it has not come to a row', undefined, 'is cancelled', true],
  ['that is carried out leaves nothing to cancel', 'retry-1', 'nothing to cancel', false],
])('a retry %s', async (_, endedUnder, said, isCancelled) => {
  const failed = { status: 'failed', reasonCode: 'render_failed', ...(endedUnder && { endedUnder }) } as const;
  const home = await seededHome('b', [
    { id: 'one', record: failed },
    { id: 'two', record: {} },
  ]);
  const generation = await home.rows.currentGeneration('b');
  await writeBatchOrder(home.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    retry: { id: 'retry-1', beforeMs: T0, classes: [] },
    ...(generation && { generation }),
  });
  expect((await home.run('cancel', 'b')).stdout).toContain(said);
  expect(await isCancelledBatch(home.home, 'b')).toBe(isCancelled);
});
