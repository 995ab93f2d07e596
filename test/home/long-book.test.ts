// What a batch has cost is asked before each claim where its budget was lowered: what was read once is not read again.
import { expect, test } from 'vitest';
import { createChargeBook } from '../../src/home/charge-book.js';
import type { Store } from '../../src/store/port.js';

test.each([20_000, 60_000])('the cost of a batch of %i ended rows is read once', async (rows) => {
  const files = new Map<string, Uint8Array>();
  const folders = new Map<string, string[]>();
  let reads = 0;
  const store = {
    putIfAbsent: async (key: string, bytes: Uint8Array) => {
      files.set(key, bytes);
      let at = key.lastIndexOf('/');
      let name = key;
      for (; at > 0; name = name.slice(0, at), at = name.lastIndexOf('/')) {
        const [folder, own] = [name.slice(0, at), name.slice(at + 1)];
        const known = folders.get(folder);
        if (known === undefined) folders.set(folder, [own]);
        else {
          if (!known.includes(own)) known.push(own);
          break;
        }
      }
      return true;
    },
    names: async (folder: string) => folders.get(folder) ?? [],
    get: async (key: string) => {
      reads += 1;
      return files.get(key);
    },
    size: async (key: string) => files.get(key)?.length,
  } as unknown as Store;
  const book = createChargeBook(store, 'a');
  const atMs = 1_700_000_000_000;
  for (let i = 0; i < rows; i += 1) {
    // A thousand in ten minutes.
    const endedAtMs = atMs + i * 600;
    const entry = { batch: 'b', id: `r${i}`, n: 1, kind: 'svc/image', end: 'charged', lo: 1, hi: 1 } as const;
    await book.append({ ...entry, claimedAtMs: endedAtMs - 1, endedAtMs });
  }
  expect((await book.endedOf('b')).upToNano).toBe(rows);
  reads = 0;
  expect((await book.endedOf('b')).upToNano).toBe(rows);
  expect(reads).toBeLessThan(100);
});
