import { expect, test } from 'vitest';
import { createDiskBudget } from '../../src/store/disk-budget.js';
import { createFolderStore } from '../../src/store/folder.js';
import { streamOf, temporaryFolder } from './support/temporary.js';

test('F45: what runs side by side is counted together, and a disk without room says so before the first byte', async () => {
  const store = { ...createFolderStore(temporaryFolder()), freeBytes: async () => 10_000_000 };
  const budget = createDiskBudget();
  const first = await budget.reserve(store, 5_000_000);
  await expect(budget.reserve(store, 5_000_000)).rejects.toMatchObject({
    code: 'ENOSPC',
    message: `cannot write to ${store.location}: the disk is full (10 MB free, 11 MB needed)`,
  });
  first.end();
  first.end();
  const second = await budget.reserve(store, 8_000_000);
  second.end();
  await expect(budget.reserve(store, 10_000_000)).rejects.toMatchObject({ code: 'ENOSPC' });
});

test('a store that cannot tell its room takes all', async () => {
  const store = { ...createFolderStore(temporaryFolder()), freeBytes: async () => undefined };
  (await createDiskBudget().reserve(store, 1e15)).end();
});

test('what is written takes its room from the disk alone, and is counted once', async () => {
  let freeBytes = 12_000_000;
  const store = { ...createFolderStore(temporaryFolder()), freeBytes: async () => freeBytes };
  const budget = createDiskBudget();
  const first = await budget.reserve(store, 5_000_000);
  for await (const chunk of first.counted(streamOf(Buffer.alloc(4_000_000)))) freeBytes -= chunk.length;
  const second = await budget.reserve(store, 5_000_000);
  await expect(budget.reserve(store, 2_000_000)).rejects.toMatchObject({ code: 'ENOSPC' });
  first.end();
  second.end();
  await budget.reserve(store, 6_000_000);
});
