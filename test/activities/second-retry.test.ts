// A retry of one class that is given while its batch still carries out one of another takes no row from that one.
import { expect, test } from 'vitest';
import { resultActivities } from '../../activities/results.js';
import { rowActivities } from '../../activities/rows.js';
import { bothRetries } from '../../src/cli/batch/batch-terms.js';
import { newRetry } from '../../src/cli/batch/run-flags.js';
import type { RetryOrder } from '../../src/contract/workflows.js';
import { markCancelled } from '../../src/home/batch-marks.js';
import { readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { takeBackCancel } from '../../src/home/run-order.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const ROWS = [plainRow('r'), plainRow('refused', { index: 1 })];

async function failedRows() {
  const { deps, refOf } = await accountAtHand(ROWS);
  const tell = { isBatchOpen: async () => true, areOpen: async () => [false], rowFinished: async () => true };
  deps.messenger = { ...deps.messenger, ...tell } as typeof deps.messenger;
  const end = (at: number, reason: 'render_failed' | 'render_moderated') =>
    resultActivities(deps).finishRow({ row: refOf(ROWS[at] ?? plainRow('r')), status: 'failed', reason });
  const order = (retry: RetryOrder | null) =>
    writeBatchOrder(deps.home, 'b', {
      limits: { maxCreditsNano: null, maxFailures: null },
      policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
      retry,
    });
  const paged = async () => {
    const { generation } = refOf(ROWS[0] ?? plainRow('r'));
    const asked = { batch: 'b', generation, cursor: { part: 0, index: 0 }, limit: 5, retry: null, roomNano: null };
    return (await rowActivities(deps).pageRows(asked)).entries.map(({ id }) => id);
  };
  const standing = async () => (await readBatchOrder(deps.home, 'b'))?.retry ?? null;
  await order(null);
  await end(0, 'render_failed');
  await end(1, 'render_moderated');
  return { deps, end, order, paged, standing };
}

test('rows of either class run, and none of them again that fails once more', async () => {
  const { end, order, paged, standing } = await failedRows();
  await order(newRetry('render_failed'));
  expect(await paged()).toEqual(['r']);
  await order(bothRetries(newRetry('render_moderated'), await standing()));
  expect(await paged()).toEqual(['r', 'refused']);
  await end(0, 'render_failed');
  expect(await paged()).toEqual(['refused']);
  await end(1, 'render_moderated');
  expect(await paged()).toEqual([]);
});

test('what ended under the first one is run again by a later one of its class alone', async () => {
  const { end, order, paged, standing } = await failedRows();
  await order(newRetry('render_failed'));
  await end(0, 'render_failed');
  await order(bothRetries(newRetry('render_moderated'), await standing()));
  expect(await paged()).toEqual(['refused']);
  await order(bothRetries(newRetry('render_failed'), await standing()));
  expect(await paged()).toEqual(['r', 'refused']);
});

test('a cancel ends the one before it', async () => {
  const { deps, order, paged, standing } = await failedRows();
  await order(newRetry('render_failed'));
  await markCancelled(deps.home, 'b', Date.now());
  await takeBackCancel(deps.home, 'b');
  await order(bothRetries(newRetry('render_moderated'), await standing()));
  expect(await paged()).toEqual(['refused']);
});

test('of classes that the new one names nothing is kept beside it', () => {
  const [one, all] = [newRetry('render_failed'), newRetry(undefined)];
  expect(bothRetries(all, one)).toBe(all);
  const both = newRetry('render_failed,render_moderated');
  expect(bothRetries(both, one)).toBe(both);
  expect(bothRetries(null, one)).toBe(one);
  const resumed = { ...one, also: [all] };
  expect(bothRetries(resumed, resumed)).toBe(resumed);
  expect(bothRetries(one, all)).toMatchObject({ classes: one.classes, also: [{ id: all.id, classes: [] }] });
});
