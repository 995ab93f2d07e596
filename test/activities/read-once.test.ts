import { describe, expect, test } from 'vitest';
import { readOnce } from '../../activities/files/result-files.js';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function counted(length: number) {
  const seen = { reads: 0, closed: false };
  async function* source(): AsyncIterable<number> {
    try {
      for (; seen.reads < length; ) yield seen.reads++;
    } finally {
      seen.closed = true;
    }
  }
  return { seen, source: source() };
}

describe('one pass over the records for every file of results (issue "Outputs always land")', () => {
  test('gives every item to each reader, in order, and reads the source once', async () => {
    const { seen, source } = counted(5_000);
    const found: number[][] = [];
    const reader = async (items: AsyncIterable<number>) => void found.push(await all(items));
    await readOnce(source, [reader, reader, reader]);
    expect(seen.reads).toBe(5_000);
    expect(found.map((items) => [items.length, items.at(-1)])).toEqual([1, 2, 3].map(() => [5_000, 4_999]));
  });

  test('holds the fast reader back, so that memory is bounded', async () => {
    const { seen, source } = counted(50_000);
    let ahead = 0;
    const slow = async (items: AsyncIterable<number>) => {
      let own = 0;
      for await (const _ of items) {
        own += 1;
        if (own % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
        ahead = Math.max(ahead, seen.reads - own);
      }
    };
    await readOnce(source, [all, slow]);
    expect(ahead).toBeLessThan(1_100);
  });

  test('ends every reader and the source with the first failure, also of one that never read', async () => {
    const { seen, source } = counted(1_000_000);
    const refused = async () => Promise.reject(new Error('the disk is full'));
    await expect(readOnce(source, [all, refused, all])).rejects.toThrow('the disk is full');
    expect(seen.reads).toBeLessThan(10_000);
    expect(seen.closed).toBe(true);
  });

  test('a source that breaks is the failure', async () => {
    async function* broken(): AsyncIterable<number> {
      yield 1;
      throw new Error('a record is damaged');
    }
    await expect(readOnce(broken(), [all, all])).rejects.toThrow('a record is damaged');
  });
});
