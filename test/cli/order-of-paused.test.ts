// An order about one row of a paused batch that its server has forgotten: the rows behind the pause stay where they are.
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { refTo } from '../../src/cli/review/case-row.js';
import { wakeRows } from '../../src/cli/review/continue-rows.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { orderPause, readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { orderFollowers } from '../../src/home/row-orders.js';
import { ACCOUNT, rowOf, type SeededRow, seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const BY: AttemptState = { state: 'overridden', atMs: T0 + 9_000, cause: 'person', by: { who: 'ann' } };
const SETTLED: SeededRow = { id: 'one', states: [LOST, BY], record: { status: 'review', seenStates: 2 } };

/** Whether the batch is paused still once the row that was settled was told to go on. */
async function pausedAfter(others: SeededRow[]): Promise<boolean | undefined> {
  const home = await seededHome('b', [SETTLED, ...others]);
  const limits = { maxCreditsNano: null, maxFailures: null };
  await writeBatchOrder(home.home, 'b', { limits, policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } });
  await orderPause(home.home, 'b', true);
  await orderFollowers(home.home, 'b', ['follows'], 'starts');
  const absent = () => Promise.reject(new WorkflowNotFoundError('absent', 'w', undefined));
  const workflow = { getHandle: () => ({ describe: absent, signal: absent }), signalWithStart: async () => undefined };
  const session = { config: { account: { name: ACCOUNT }, timeScale: 1, waits: { syncMaxSeconds: 1 } } };
  const generation = await home.rows.generation('b', (await home.rows.currentGeneration('b')) ?? '');
  const known = { session, access: home, batch: 'b', generation } as never;
  await wakeRows(known, { temporal: { client: { workflow } } } as never, [
    refTo(known, { row: rowOf('one', 0), part: 0 }),
  ]);
  return (await readBatchOrder(home.home, 'b'))?.isPaused;
}

test('a row that waits behind the pause keeps waiting', async () => {
  expect(await pausedAfter([{ id: 'untried' }])).toBe(true);
});

test('a pause that outlived its batch holds nothing back', async () => {
  expect(await pausedAfter([{ id: 'two', record: {} }, { id: 'follows' }])).toBe(false);
});
