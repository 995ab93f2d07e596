// A row that is ordered again of a batch that runs: what its pages bring, and what they do not.
import { expect, test } from 'vitest';
import { fedRowActivities } from '../../activities/fed-rows.js';
import type { PageResult } from '../../src/contract/pages.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

interface Reopened {
  /** The job of its earlier render has not closed yet. */
  isOpen?: boolean;
  cursor?: PageResult['next'];
  /** The manifest was edited since, and has the row no more. */
  isRemoved?: boolean;
}

async function reopened({ isOpen = false, cursor = null, isRemoved = false }: Reopened) {
  const row = plainRow('one');
  const { deps, generation, refOf } = await accountAtHand([row]);
  await deps.rows.setCurrentGeneration('b', isRemoved ? '0123456789abcdef' : generation);
  Object.assign(deps.messenger, { areOpen: async () => [isOpen] });
  const ref = { batch: 'b', id: 'one', n: 1 };
  await deps.ledger.claim(ref, intent({ rowHash: row.hash, kind: row.kind, generation, index: 0 }));
  await deps.ledger.append(ref, { state: 'created', atMs: 3, handle: 'h' });
  await deps.ledger.append(ref, { state: 'rendered', atMs: 4, outputs: [], facts: {} });
  await deps.ledger.append(ref, { state: 'overridden', atMs: 5, cause: 'rerun', by: { who: 'ann' } });
  await deps.records.writeRecord('b', rowRecord({ id: 'one', kind: row.kind, rowHash: row.hash, rerunAtMs: 6 }));
  return fedRowActivities(deps).reopenRow({ row: refOf(row), cursor });
}

const AGAIN = { outcome: 'restart', begins: 'submit', attempts: 1 };

test('the job of its earlier render that is about to close keeps nobody from opening it', async () => {
  expect(await reopened({ isOpen: true })).toMatchObject(AGAIN);
});

test('a page that is still to come brings a row of its manifest, and none that left it', async () => {
  const cursor = { part: 0, index: 0 };
  expect(await reopened({ cursor })).toEqual({ outcome: 'nothing' });
  expect(await reopened({ cursor, isRemoved: true })).toMatchObject(AGAIN);
});
