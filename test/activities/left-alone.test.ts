// Rows that wait for an order of their whole batch though what feeds them is done (design 9, When it runs).
import { expect, test } from 'vitest';
import { accountActivities } from '../../activities/account.js';
import { rowActivities } from '../../activities/rows.js';
import { clearStopped, writeSampleGate } from '../../src/home/batch-marks.js';
import { noteLate } from '../../src/home/late-outputs.js';
import { clearFollowers, orderFollowers } from '../../src/home/row-orders.js';
import { approveRest } from '../../src/home/run-order.js';
import { editRow, fed } from '../support/chain-rows.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const HERO = plainRow('hero');
const EDIT = editRow('edit', fed('hero', 0), { index: 1 });
const FILE = { file: 'media/hero.png', contentType: 'image/png', bytes: 9, sha256: 'aa' };

/** `hero` is done; `begun` are the rows that a page brings then. */
async function heroIsDone() {
  const { deps, generation } = await accountAtHand([HERO, EDIT]);
  await deps.records.writeRecord('b', rowRecord({ id: 'hero', files: [FILE], rowHash: HERO.hash }));
  const asked = { batch: 'b', generation, cursor: { part: 0, index: 0 }, limit: 5, retry: null, roomNano: null };
  const begun = async () => (await rowActivities(deps).pageRows(asked)).entries.map(({ id }) => id);
  /** The batch stops by itself, and a `resume` lets it go on. */
  const stopAndResume = async () => {
    await accountActivities(deps).markStopped({ batch: 'b', reason: 'budget_reached' });
    await clearStopped(deps.home, 'b');
  };
  return { home: deps.home, generation, begun, stopAndResume };
}

test('what an order left alone stays so after a stop of its batch, until the whole batch is ordered', async () => {
  const { home, begun, stopAndResume } = await heroIsDone();
  await orderFollowers(home, 'b', ['edit'], 'stays');
  await stopAndResume();
  expect(await begun()).toEqual([]);
  await clearFollowers(home, 'b');
  expect(await begun()).toEqual(['edit']);
});

test('what was to follow a late output follows no more after a stop of its batch', async () => {
  const { home, begun, stopAndResume } = await heroIsDone();
  await noteLate(home, 'b', 'hero', 1);
  await orderFollowers(home, 'b', ['edit'], 'starts');
  expect(await begun()).toEqual(['edit']);
  await stopAndResume();
  expect(await begun()).toEqual([]);
});

test('an approval of the rest of a sample orders what an output that came late feeds', async () => {
  const { home, generation, begun } = await heroIsDone();
  await noteLate(home, 'b', 'hero', 1);
  const gate = { ids: ['hero'], atMs: 1 };
  await writeSampleGate(home, 'b', gate);
  expect(await begun()).toEqual([]);
  await approveRest(home, 'b', { ...gate, approved: { generation, maxCreditsNano: null, atMs: 2 } });
  expect(await begun()).toEqual(['edit']);
});
