import { describe, expect, test } from 'vitest';
import { createChargeBook } from '../../src/home/charge-book.js';
import { createRecords } from '../../src/home/row-records.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { wholeRecord } from './support/examples.js';

describe('row records', () => {
  test('come back as they were written, the last one', async () => {
    const records = createRecords(createFolderStore(temporaryFolder()), 'default');
    expect(await records.readRecord('b', 'a')).toBeUndefined();
    await records.writeRecord('b', wholeRecord('a', { status: 'failed', reasonCode: 'render_failed', reason: 'x' }));
    await records.writeRecord('b', wholeRecord('a'));
    expect(await records.readRecord('b', 'a')).toEqual(wholeRecord('a'));
    expect(await records.readRecord('other', 'a')).toBeUndefined();
  });

  test('5-X1: what could not be read again is not written', async () => {
    const store = createFolderStore(temporaryFolder());
    const records = createRecords(store, 'default');
    for (const creditsNano of [1.8e21, 0.5, Number.NaN]) {
      await expect(async () => records.writeRecord('b', wholeRecord('a', { creditsNano }))).rejects.toThrow(
        'read again',
      );
    }
    expect(await records.readRecord('b', 'a')).toBeUndefined();
  });

  test('many are read in the order asked for', async () => {
    const records = createRecords(createFolderStore(temporaryFolder()), 'default');
    const ids = Array.from({ length: 60 }, (_, i) => `row-${i}`);
    for (const id of ids.slice(0, 50)) await records.writeRecord('b', wholeRecord(id));
    const read = await records.readRecords('b', ids);
    expect(read.map((record) => record?.id)).toEqual([...ids.slice(0, 50), ...Array(10).fill(undefined)]);
  });

  test('6-O4: a damaged record is a row that needs a person, not taken for a row that has not ended', async () => {
    const store = createFolderStore(temporaryFolder());
    const records = createRecords(store, 'default');
    await records.writeRecord('b', wholeRecord('a'));
    const [shard = ''] = await store.names('default/batches/b/records');
    await store.put(`default/batches/b/records/${shard}/a.json`, Buffer.from('{"schema":2}'));
    expect(await records.readRecord('b', 'a')).toMatchObject({ status: 'review', reasonCode: 'record_damaged' });
  });
});

describe('charge book', () => {
  const charge = (id: string, toMs: number, n = 1) => ({
    batch: 'b',
    id,
    n,
    kind: 'svc/image' as const,
    end: 'charged' as const,
    claimedAtMs: toMs - 1_000,
    endedAtMs: toMs,
    lo: 0,
    hi: null,
  });

  test('gives what may have been charged since a time, oldest first, over its buckets', async () => {
    const book = createChargeBook(createFolderStore(temporaryFolder()), 'default');
    const start = 1_700_000_000_000;
    for (const [id, minutes] of [
      ['c', 30],
      ['a', 0],
      ['b', 9],
      ['d', 31],
    ] as const) {
      await book.append(charge(id, start + minutes * 60_000));
    }
    const ids = async (minutes: number) => (await book.since(start + minutes * 60_000)).map(({ id }) => id);
    expect(await ids(-60)).toEqual(['a', 'b', 'c', 'd']);
    expect(await ids(9)).toEqual(['b', 'c', 'd']);
    expect(await ids(10)).toEqual(['c', 'd']);
    expect(await ids(32)).toEqual([]);
  });

  test('an attempt that is entered twice counts once, as it was first', async () => {
    const book = createChargeBook(createFolderStore(temporaryFolder()), 'default');
    const start = 1_700_000_000_000;
    await book.append(charge('a', start));
    await book.append({ ...charge('a', start), hi: 9 });
    await book.append(charge('a', start + 3_600_000));
    await book.append(charge('a', start, 2));
    expect(await book.since(0)).toEqual([charge('a', start), charge('a', start, 2)]);
  });
});
