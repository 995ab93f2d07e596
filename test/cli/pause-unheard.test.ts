// A pause stands from when it is written: an engine that stands still may go on with the batch, one that is gone does not.
import { expect, test } from 'vitest';
import type { KnownBatch } from '../../src/cli/batch/known-batch.js';
import { orderPaused } from '../../src/cli/batch/pause-batch.js';
import { EngineError } from '../../src/engine/engine-error.js';
import { readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { seededHome } from './seeded-home.js';

test.each([
  ['not_responding', true],
  ['stopped_by_order', false],
] as const)('an engine that is %s: the pause stands: %s', async (code, stands) => {
  const { home } = await seededHome('b', [{ id: 'one' }]);
  await writeBatchOrder(home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
  });
  const warned: string[] = [];
  const session = { terminal: { warn: (text: string) => void warned.push(text) } };
  const known = { session, access: { home }, batch: 'b' } as unknown as KnownBatch;
  const ordered = orderPaused(known, () => Promise.reject(new EngineError(code, 'the engine does not answer')));
  if (stands) await ordered;
  else await expect(ordered).rejects.toThrow('the engine does not answer');
  expect((await readBatchOrder(home, 'b'))?.isPaused ?? false).toBe(stands);
  expect(warned).toEqual(stands ? [expect.stringContaining('the order stands in the home')] : []);
});
