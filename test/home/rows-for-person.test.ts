// Which rows need a person is the same by the index of a large batch and by a walk over its rows.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RowRecord } from '../../src/domain/outcome.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { rowsForPerson } from '../../src/home/rows-for-person.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { storedRow, wholeRecord } from './support/examples.js';

const ENDS: Partial<RowRecord>[] = [
  { status: 'done', finishedAtMs: 90 },
  { status: 'review', reasonCode: 'answer_lost_undecided', finishedAtMs: 10 },
  { status: 'lost_paid', reasonCode: 'answer_lost_billed', finishedAtMs: 20 },
  { status: 'lost_paid', reasonCode: 'marked_lost', finishedAtMs: 80 },
  { status: 'review', reasonCode: 'output_pending', finishedAtMs: 30 },
  // Its manifest asks for another output now.
  { status: 'done', rowHash: 'older', finishedAtMs: 5 },
];

test.each([
  ['the index', 1_000, (store: Store) => store],
  ['a walk', 1_000, (store: Store) => ({ ...store, stamps: undefined }) as unknown as Store],
  ['a walk over a small batch', 10, (store: Store) => store],
])('by %s', async (_how, rows, storeOf) => {
  const account = openAccountRecords(storeOf(createFolderStore(join(temporaryFolder(), 'home'))), 'a');
  const writer = createRowsWriter(account.home.store, 'a', 'b');
  for (let index = 0; index < rows; index += 1) await writer.add(storedRow(index));
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  for (const [i, end] of ENDS.entries()) await account.records.writeRecord('b', wholeRecord(`row-${i}`, end));
  expect(await rowsForPerson(account, 'b', generation, { isRunning: true })).toEqual({
    counts: { review: 2, lost_paid: 1 },
    latestMs: 20,
  });
  expect(await rowsForPerson(account, 'b', generation, { isRunning: false })).toEqual({
    counts: { review: 3, lost_paid: 1 },
    latestMs: 30,
  });
});
