import { describe, expect, test } from 'vitest';
import { type BookedAttempt, type ChargeBook, createChargeBook } from '../../src/home/charge-book.js';
import { openHome } from '../../src/home/home.js';
import { homeKeys } from '../../src/home/home-keys.js';
import { createRecords } from '../../src/home/row-records.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { wholeRecord } from './support/examples.js';

const TEN_MINUTES_MS = 600_000;
const DAY_MS = 144 * TEN_MINUTES_MS;

async function bookedSince(book: ChargeBook, sinceMs: number): Promise<BookedAttempt[]> {
  const found: BookedAttempt[] = [];
  for await (const entry of book.each(sinceMs)) found.push(entry);
  return found;
}

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

  test('gives what may have been charged since a time, over its buckets', async () => {
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
    const ids = async (minutes: number) => (await bookedSince(book, start + minutes * 60_000)).map(({ id }) => id);
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
    expect(await bookedSince(book, 0)).toEqual([charge('a', start), charge('a', start, 2)]);
  });

  test('7-S1: of the charges of a large batch no more than a thousand are held at once', async () => {
    const start = 1_700_000_000_000;
    const charges = Array.from({ length: 1_300 }, (_, i) => charge(`r${i}`, start + i));
    const keyOf = (one: (typeof charges)[0]) => homeKeys('default').charge(one, one.endedAtMs);
    const written = new Map(charges.map((one) => [keyOf(one), one]));
    let reads = 0;
    const store = {
      names: async () => [String(start - (start % TEN_MINUTES_MS))],
      async *list() {
        yield* written.keys();
      },
      async get(key: string) {
        reads += 1;
        return Buffer.from(JSON.stringify(written.get(key)));
      },
    } as unknown as Store;
    const entries = createChargeBook(store, 'default').each(0);
    await entries.next();
    expect(reads).toBeLessThanOrEqual(1_000);
    let rest = 0;
    while (!(await entries.next()).done) rest += 1;
    expect([reads, rest]).toEqual([1_300, 1_299]);
  });

  test('3-R11: what a batch has cost is listed from its own beginning on, many lists at once, in a home of any age', async () => {
    const store = createFolderStore(temporaryFolder());
    const start = 1_700_000_000_000;
    await openHome(store, 'default').bindOut('b', '/out', start);
    const written = createChargeBook(store, 'default');
    for (let day = 0; day < 3; day += 1) await written.append({ ...charge('a', start + day * DAY_MS), hi: 5 });
    await written.append({ ...charge('c', start + DAY_MS), hi: 7 });
    const lists = { made: 0, atOnce: 0, most: 0 };
    /** A request to a bucket; before the batch stand ten minutes of two years, after it those of a week. */
    const names = async (prefix: string): Promise<string[]> => {
      lists.made += 1;
      lists.atOnce += 1;
      lists.most = Math.max(lists.most, lists.atOnce);
      await new Promise((resolve) => setTimeout(resolve, 2));
      lists.atOnce -= 1;
      if (prefix !== 'default/book') return store.names(prefix);
      const first = Math.floor(start / TEN_MINUTES_MS) - 730 * 144;
      return Array.from({ length: 737 * 144 }, (_, i) => String((first + i) * TEN_MINUTES_MS));
    };
    const ended = await createChargeBook({ ...store, names }, 'default').endedOf('b');
    expect(ended.upToNano).toBe(12);
    expect(lists.made).toBeLessThanOrEqual(1 + 8 * 144 + 1);
    expect(lists.most).toBeGreaterThanOrEqual(8);
  });
});
