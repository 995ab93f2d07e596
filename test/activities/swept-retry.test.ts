// A row that a retry runs again and whose job is gone: its record of before the retry is not its end.
import { expect, test } from 'vitest';
import { rowActivities } from '../../activities/rows.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

/** What a sweep says of a row that failed; it ended under the retry with that id, if any. */
async function swept(endedUnder?: string) {
  const row = plainRow('one');
  const { deps, generation } = await accountAtHand([row]);
  Object.assign(deps.messenger, { areOpen: async () => [false] });
  const ref = { batch: 'b', id: 'one', n: 1 };
  await deps.ledger.claim(ref, intent({ rowHash: row.hash, kind: row.kind, generation, index: 0 }));
  const refused = { state: 'refused', rule: 'T3', next: 'fail_row', status: 400, message: 'no' } as const;
  await deps.ledger.append(ref, { ...refused, atMs: 3 });
  const failed = rowRecord({ id: 'one', kind: row.kind, rowHash: row.hash, status: 'failed', finishedAtMs: 4 });
  await deps.records.writeRecord('b', {
    ...{ ...failed, attempts: 1, seenStates: 2, reasonCode: 'invalid_request' },
    ...(endedUnder === undefined ? {} : { endedUnder }),
  });
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'hold' as const, wasteMaxNano: 0, retries: 0 };
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry: { id: 'again', classes: [], beforeMs: 9 } } as never);
  const found = await rowActivities(deps).sweepRows({ batch: 'b', ids: ['one'] });
  return Array.isArray(found) ? found[0] : found.rows[0];
}

test('it is begun again, and one that ended under the retry has ended', async () => {
  expect(await swept()).toMatchObject({ state: 'restart', begins: 'submit', attempts: 1 });
  expect(await swept('again')).toMatchObject({ state: 'finished', status: 'failed' });
});
