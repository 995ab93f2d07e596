// What a further way through the rows of a batch begins: rows that were ready and had been missed (design 9).
import { expect, test } from 'vitest';
import { rowActivities } from '../../activities/rows.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { orderRerun } from '../../src/home/row-orders.js';
import { editRow, fed } from '../support/chain-rows.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const HERO = plainRow('hero');
const EDIT = editRow('edit', fed('hero', 0), { index: 1 });
const FILE = { file: 'media/hero.png', contentType: 'image/png', bytes: 9, sha256: 'aa' };

/** `hero` is done, and `edit`, which it feeds, has a record. */
async function rescanned(edit: Partial<RowRecord>) {
  const { deps, generation } = await accountAtHand([HERO, EDIT]);
  await deps.records.writeRecord('b', rowRecord({ id: 'hero', files: [FILE], rowHash: HERO.hash }));
  await deps.records.writeRecord('b', rowRecord({ id: 'edit', kind: EDIT.kind, files: [], ...edit }));
  await orderRerun(deps.home, 'b', generation, true, 1);
  const cursor = { part: 0, index: 0 };
  const retry = { id: 'now', beforeMs: 5_000, classes: [] };
  const asked = { batch: 'b', generation, cursor, limit: 5, retry, roomNano: null };
  const page = await rowActivities(deps).pageRows({ ...asked, isHeldOnly: true });
  return page.entries.map(({ id }) => id);
}

test.each(['done', 'failed', 'not_started'] as const)(
  'a row that was changed with what feeds it, and was %s with its old values, is begun by it',
  async (status) => {
    expect(await rescanned({ status, rowHash: 'of other values', attempts: 1, finishedAtMs: 1_000 })).toEqual(['edit']);
  },
);

test('a row that ended in this run is not begun again', async () => {
  const ended = { rowHash: EDIT.hash, attempts: 0, finishedAtMs: 6_000 };
  expect(await rescanned({ ...ended, status: 'not_started', reasonCode: 'input_changed' })).toEqual([]);
  expect(await rescanned({ ...ended, status: 'failed', reasonCode: 'input_unfit', endedUnder: 'now' })).toEqual([]);
});

test.each(['done', 'failed'] as const)(
  'a row that shares a render and was held is left to another second way, once what feeds it (%s) is done',
  async (status) => {
    const twin = editRow('twin', fed('hero', 0), { index: 2, shares: 1, hash: EDIT.hash });
    const { deps, generation } = await accountAtHand([HERO, EDIT, twin]);
    await deps.records.writeRecord('b', rowRecord({ id: 'hero', status, files: [FILE], rowHash: HERO.hash }));
    const ended = { status: 'not_started', reasonCode: 'input_changed', rowHash: EDIT.hash } as const;
    await deps.records.writeRecord('b', rowRecord({ id: 'edit', kind: EDIT.kind, files: [], ...ended, attempts: 0 }));
    const asked = { batch: 'b', generation, cursor: { part: 0, index: 0 }, limit: 5, retry: null, roomNano: null };
    const { entries, deferred = 0, held = 0 } = await rowActivities(deps).pageRows({ ...asked, isHeldOnly: true });
    expect([entries, deferred, held]).toEqual([[], status === 'done' ? 1 : 0, 0]);
  },
);
