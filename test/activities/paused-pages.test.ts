// What a batch that begins while it is paused may open: what is at the service already (src/home/batch-order.ts).
import { expect, test } from 'vitest';
import { rowActivities } from '../../activities/rows.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const ROWS = ['done', 'rendering', 'untouched', 'later'].map((id, index) => plainRow(id, { index }));

async function pausedBatch(isPaused = true) {
  const { deps, generation } = await accountAtHand(ROWS);
  const order = {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    ...{ retry: null, generation, isPaused },
  } as const;
  await writeBatchOrder(deps.home, 'b', order);
  const end = (id: string) =>
    deps.records.writeRecord('b', rowRecord({ id, kind: 'svc/image', rowHash: `hash-${id}` }));
  await end('done');
  for (const row of ROWS.filter(({ id }) => id === 'rendering' || id === 'later')) {
    const ref = { batch: 'b', id: row.id, n: 1 };
    await deps.ledger.claim(ref, intent({ rowHash: row.hash, kind: row.kind, generation, index: row.index }));
    await deps.ledger.append(ref, { state: 'created', atMs: deps.now(), handle: `h-${row.id}` });
  }
  const page = (index: number) =>
    rowActivities(deps).pageRows({
      ...{ batch: 'b', generation, cursor: { part: 0, index }, limit: 10, retry: null, roomNano: null },
    });
  const waits = (index: number, cursor = 2) =>
    rowActivities(deps).pageRows({
      ...{ batch: 'b', generation, cursor: { part: 0, index: cursor }, limit: 10, retry: null, roomNano: null },
      paidFrom: { part: 0, index },
    });
  return { page, end, waits };
}

test('what a paused batch has at the service is opened, up to the first row that would be sent', async () => {
  const { page, end } = await pausedBatch();
  const first = await page(0);
  expect(first.entries.map(({ id, begins }) => [id, begins])).toEqual([['rendering', 'poll']]);
  expect([first.finished, first.next, first.isPaused]).toEqual([{ done: 1 }, { part: 0, index: 2 }, undefined]);
  expect(await page(2)).toMatchObject({ entries: [], finished: {}, next: { part: 0, index: 2 }, isPaused: true });

  // A paused batch none of whose rows is to be sent ends.
  await end('untouched');
  const last = await page(2);
  expect([last.entries.map(({ id }) => id), last.next, last.isPaused]).toEqual([['later'], null, undefined]);
});

test('where it waits for a row that would be sent, what is at the service behind that one is opened too', async () => {
  const { waits } = await pausedBatch();
  const { entries, isPaused, next, paid } = await waits(2);
  expect([entries, isPaused, next]).toEqual([[], true, { part: 0, index: 2 }]);
  expect(paid?.rows.map(({ entry, isAhead }) => [entry.id, entry.begins, isAhead])).toEqual([['later', 'poll', true]]);
  expect(paid?.next).toBeNull();
  expect((await waits(4)).paid).toEqual({ rows: [], next: null });
});

test('one that goes on opens the others too', async () => {
  const { page } = await pausedBatch(false);
  expect((await page(0)).entries.map(({ begins }) => begins)).toEqual(['poll', 'submit', 'poll']);
});

test('what is at the service is opened before the first page: it holds the slots for which all others wait', async () => {
  const { waits } = await pausedBatch(false);
  const { entries, next, paid, finished } = await waits(0, 0);
  expect([entries, next, finished]).toEqual([[], { part: 0, index: 0 }, {}]);
  expect(paid?.rows.map(({ part, entry }) => [part, entry.id, entry.begins]).sort()).toEqual([
    [0, 'later', 'poll'],
    [0, 'rendering', 'poll'],
  ]);
  expect(paid?.next).toBeNull();
});
