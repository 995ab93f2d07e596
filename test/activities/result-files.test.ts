import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAccountRecords } from '../../src/home/account-records.js';
import { markCancelled } from '../../src/home/batch-marks.js';
import { resultLines } from '../../src/home/result-lines.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { emptyTally, tallyResults } from '../../src/home/upstream.js';
import { resultFields } from '../../src/manifest/result-fields.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { intent, storedRow } from '../home/support/examples.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

/** Counts every request to the store. */
function counted(store: Store, seen: { requests: number }): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const value = target[name];
      if (typeof value !== 'function') return value;
      return (...args: never[]) => {
        seen.requests += 1;
        return (value as (...args: never[]) => unknown).apply(target, args);
      };
    },
  });
}

test('3-R3: 10,000 rows that were never tried are counted with a request per shard, not per row', async () => {
  const seen = { requests: 0 };
  const store = counted(createFolderStore(join(temporaryFolder(), 'home')), seen);
  const account = openAccountRecords(store, 'a');
  const writer = createRowsWriter(store, 'a', 'b');
  for (let index = 0; index < 10_000; index += 1) {
    const stored = storedRow(index);
    await writer.add({ ...stored, row: { ...stored.row, id: `r${index}` } });
  }
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  await account.ledger.claim({ batch: 'b', id: 'r7', n: 1 }, intent());
  await markCancelled(account.home, 'b', 1);
  seen.requests = 0;
  const sources = { ...account, openStore: () => store, now: () => 9 };
  const tally = emptyTally();
  await tallyResults(resultLines(sources, 'b', generation), tally);
  expect([tally.counts.cancelled, tally.open, tally.live]).toEqual([9_999, 1, { submitting: 1 }]);
  expect(seen.requests).toBeLessThan(600);
});

test('a row of a cancelled batch that was never tried says that it was cancelled by its user', async () => {
  const { deps, generation } = await accountAtHand([plainRow('hero')]);
  await markCancelled(deps.home, 'b', 1);
  const lines = [];
  for await (const line of resultLines(deps, 'b', generation)) lines.push(resultFields(line));
  expect(lines).toMatchObject([{ status: 'cancelled', reason_code: 'cancelled_by_user' }]);
});

test('a row that is being rendered again is open, and its earlier output stays named until the new one is whole', async () => {
  const { deps, generation } = await accountAtHand([plainRow('hero')]);
  const file = { file: 'media/hero.png', contentType: 'image/png', bytes: 7, sha256: 'a'.repeat(64) };
  await deps.records.writeRecord('b', {
    ...{ schema: 1, id: 'hero', kind: 'svc/image', status: 'done', flags: [], warnings: [], attempts: 1 },
    ...{ files: [file], creditsBasis: 'unknown', finishedAtMs: 5, rowHash: 'hash-hero', rerunAtMs: 9 },
  });
  const lines = [];
  for await (const line of resultLines(deps, 'b', generation)) lines.push(resultFields(line));
  expect(lines).toMatchObject([{ status: 'waiting', file: 'media/hero.png', bytes: 7, files: [{ bytes: 7 }] }]);
});
