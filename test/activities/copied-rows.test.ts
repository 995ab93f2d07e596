// What a row that shares another's render reserves of a budget: nothing, unless it may be sent by itself.
import { expect, test } from 'vitest';
import { fedRowActivities } from '../../activities/fed-rows.js';
import { rowActivities } from '../../activities/rows.js';
import type { RetryOrder } from '../../src/contract/workflows.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const ROWS = [
  plainRow('first'),
  plainRow('copy', { index: 1, hash: 'hash-first', shares: 0 }),
  plainRow('other', { index: 2, shares: 0 }),
];
async function opened(records: RowRecord[], roomNano: number | null = 0, retry: RetryOrder | null = null) {
  const { deps, generation } = await accountAtHand(ROWS);
  for (const record of records) await deps.records.writeRecord('b', record);
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry, generation });
  const cursor = { part: 0, index: 0 };
  const page = await rowActivities(deps).pageRows({
    ...{ batch: 'b', generation, cursor, limit: 10, retry, roomNano, isSharing: true },
  });
  const fed = await fedRowActivities(deps).fedRows({
    ...{ batch: 'b', generation, cursor: null, limit: 10, retry, roomNano },
    feeders: [{ index: 0, seen: 0 }],
  });
  const ofFirst = fed.rows.map(({ entry }) => entry.id);
  return { ids: page.entries.map(({ id }) => id), isShort: page.isShort, ofFirst };
}

const record = (id: string, over: Partial<RowRecord> = {}) =>
  rowRecord({ id, kind: 'svc/image', rowHash: 'hash-first', seenStates: 0, ...over });

test('a copy is made although the budget is used up; what only looks the same waits for room', async () => {
  expect(await opened([record('first')])).toMatchObject({ ids: ['copy'], isShort: true });
  expect(await opened([record('first')], null)).toMatchObject({ ids: ['copy', 'other'], isShort: false });
});

test('a row that may be sent by itself needs room: its first was skipped, or its retry was ordered', async () => {
  expect(await opened([record('first', { status: 'skipped' })])).toMatchObject({ ids: [], isShort: true });
  const failed = record('copy', { status: 'failed', reasonCode: 'shared_row_failed', attempts: 0 });
  const retry = { beforeMs: Number.MAX_SAFE_INTEGER, classes: [] };
  expect(await opened([record('first'), failed], 0, retry)).toMatchObject({ ids: [], isShort: true });
});

test('one that ended since its first brought nothing gets its copy where that one is done after all, for nothing', async () => {
  const failed = record('copy', { status: 'failed', reasonCode: 'shared_row_failed', attempts: 0 });
  expect(await opened([record('first'), failed])).toMatchObject({ ids: [], ofFirst: ['copy'] });
  const byItself = record('copy', { status: 'failed', reasonCode: 'render_failed', attempts: 0 });
  expect(await opened([record('first'), byItself])).toMatchObject({ ofFirst: [] });
});
