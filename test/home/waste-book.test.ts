// What is paid twice is reserved first: once a row, and within what the batch may waste (design 3, Policy and people).

import { expect, test } from 'vitest';
import { openAccountRecords } from '../../src/home/account-records.js';
import { isReserved, noteWaste, reserveWaste, returnWaste } from '../../src/home/waste-book.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';

const home = () => openAccountRecords(createFolderStore(temporaryFolder()), 'a').home;
const attempt = (id: string, n = 1) => ({ batch: 'b', id, n });

test('3-R2: the payments of a batch stay within its limit, however many ask at once', async () => {
  const shared = home();
  const ids = Array.from({ length: 12 }, (_, i) => `row-${i}`);
  const granted = await Promise.all(ids.map((id) => reserveWaste(shared, attempt(id), 10, { maxNano: 45, atMs: 1 })));
  expect(granted.filter(Boolean)).toHaveLength(4);
});

test('3-R2: a row is paid again once; asking again for the same attempt costs nothing more', async () => {
  const shared = home();
  const ask = (id: string, n: number) => reserveWaste(shared, attempt(id, n), 10, { maxNano: 25, atMs: 1 });
  expect([await ask('a', 1), await ask('a', 1), await ask('a', 2), await ask('b', 1), await ask('c', 1)]).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('3-R2: what a person orders is never refused, and uses the limit up', async () => {
  const shared = home();
  for (const n of [1, 1, 2]) await noteWaste(shared, attempt('a', n), 10, 1);
  expect(await reserveWaste(shared, attempt('b'), 6, { maxNano: 25, atMs: 1 })).toBe(false);
  expect(await reserveWaste(shared, attempt('b'), 5, { maxNano: 25, atMs: 1 })).toBe(true);
});

test('what was reserved and not paid goes back, once, and may be reserved anew', async () => {
  const shared = home();
  const limit = { maxNano: 15, atMs: 1 };
  expect(await reserveWaste(shared, attempt('a'), 10, limit)).toBe(true);
  expect(await reserveWaste(shared, attempt('b'), 10, limit)).toBe(false);
  for (const _ of [1, 2]) await returnWaste(shared, attempt('a'), 2);
  await returnWaste(shared, attempt('c'), 2);
  expect(await isReserved(shared, attempt('a'))).toBe(false);
  expect(await reserveWaste(shared, attempt('b'), 10, limit)).toBe(true);
  expect(await reserveWaste(shared, attempt('a'), 10, limit)).toBe(false);
  expect(await reserveWaste(shared, attempt('a', 2), 5, limit)).toBe(true);
  expect(await isReserved(shared, attempt('a', 2))).toBe(true);
  await noteWaste(shared, attempt('a'), 10, 3);
  expect(await isReserved(shared, attempt('a'))).toBe(true);
});
