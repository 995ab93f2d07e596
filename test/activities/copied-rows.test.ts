// What a row that shares another's render reserves of a budget: nothing, unless it may be sent by itself.
import { expect, test } from 'vitest';
import { rowActivities } from '../../activities/rows.js';
import type { RetryOrder } from '../../src/contract/workflows.js';
import type { RowRecord } from '../../src/domain/outcome.js';
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
  const cursor = { part: 0, index: 0 };
  const page = await rowActivities(deps).pageRows({
    ...{ batch: 'b', generation, cursor, limit: 10, retry, roomNano, isSharing: true },
  });
  return { ids: page.entries.map(({ id }) => id), isShort: page.isShort };
}

const record = (id: string, over: Partial<RowRecord> = {}) =>
  rowRecord({ id, kind: 'svc/image', rowHash: 'hash-first', seenStates: 0, ...over });

test('a copy is made although the budget is used up; what only looks the same waits for room', async () => {
  expect(await opened([record('first')])).toEqual({ ids: ['copy'], isShort: true });
  expect(await opened([record('first')], null)).toEqual({ ids: ['copy', 'other'], isShort: false });
});

test('a row that may be sent by itself needs room: its first was skipped, or its retry was ordered', async () => {
  expect(await opened([record('first', { status: 'skipped' })])).toEqual({ ids: [], isShort: true });
  const failed = record('copy', { status: 'failed', reasonCode: 'shared_row_failed', attempts: 0 });
  const retry = { beforeMs: Number.MAX_SAFE_INTEGER, classes: [] };
  expect(await opened([record('first'), failed], 0, retry)).toEqual({ ids: [], isShort: true });
});
