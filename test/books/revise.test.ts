// A row's record that is corrected after its end stands in the results as well (design 2, Identity and running again).

import { expect, test } from 'vitest';
import { reviseRow } from '../../src/books/revise.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';
import { wholeRecord } from '../home/support/examples.js';

/** Corrects a row's bill that came back; what was told to whom. */
async function refund(answers: { isBatchOpen: boolean; failures: number }): Promise<string[]> {
  const { deps } = await accountAtHand([plainRow('r')]);
  const told: string[] = [];
  let { failures } = answers;
  const messenger = {
    ...deps.messenger,
    rowFinished: async () => {
      if (failures-- > 0) throw new Error('the server could not be reached');
      told.push('the batch');
      return answers.isBatchOpen;
    },
    rewriteResults: async (batch: string) => {
      told.push(`the results of ${batch}`);
    },
  };
  await deps.records.writeRecord('b', wholeRecord('r', { status: 'lost_paid', reasonCode: 'answer_lost_billed' }));
  const revision = { revision: 'unbilled', sentence: 'the bill came back', seenStates: 3 } as const;
  await reviseRow({ ...deps.books, messenger }, { batch: 'b', id: 'r' }, revision);
  expect(await deps.records.readRecord('b', 'r')).toMatchObject({ status: 'failed', creditsNano: 0 });
  return told;
}

test('a batch that runs is told, and writes its results at its end', async () => {
  expect(await refund({ isBatchOpen: true, failures: 0 })).toEqual(['the batch']);
});

test('the results of a batch that has ended are written again, once the server can be reached', async () => {
  expect(await refund({ isBatchOpen: false, failures: 1 })).toEqual(['the batch', 'the results of b']);
});

test('what the balance tells of a price takes back no order that a person gave at the same time', async () => {
  const { deps } = await accountAtHand([plainRow('r')]);
  const messenger = { ...deps.messenger, rowFinished: async () => true };
  await deps.records.writeRecord('b', wholeRecord('r', {}));
  const { put } = deps.home.store;
  let ordered: Promise<unknown> | undefined;
  deps.home.store.put = async (key, bytes) => {
    // Between what was read of the record and what is written of it.
    ordered ??= deps.records.changeRecord('b', 'r', (now) => now && { ...now, rerunAtMs: 5 });
    return put.call(deps.home.store, key, bytes);
  };
  await reviseRow({ ...deps.books, messenger }, { batch: 'b', id: 'r' }, { revision: 'measured', creditsNano: 7 });
  await ordered;
  expect(await deps.records.readRecord('b', 'r')).toMatchObject({ rerunAtMs: 5, creditsNano: 7 });
});
