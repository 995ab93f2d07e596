import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createLedger } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { intent, states } from '../home/support/examples.js';
import { storeConformance } from './support/store-conformance.js';
import { temporaryFolder } from './support/temporary.js';

// No file system of a test machine is without links: link(2) answers here as it does on exFAT and some network drives.
const noLinks = Object.assign(new Error('link'), { code: 'EPERM' });
/** How many writes the disk still has room for. */
const disk = vi.hoisted(() => ({ writesLeft: Number.POSITIVE_INFINITY }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    linkSync: () => {
      throw noLinks;
    },
    writeFileSync: (file: number, bytes: Uint8Array) => {
      disk.writesLeft -= 1;
      if (disk.writesLeft >= 0) return real.writeFileSync(file, bytes);
      real.writeFileSync(file, bytes.subarray(0, 10));
      throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    },
  };
});
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: () => Promise.reject(noLinks),
}));

storeConformance('folder without links', async () => createFolderStore(join(temporaryFolder(), 'store')), {
  sharedStreamNames: true,
});

test('F47: a claim torn by a power cut counts as a claim, is never overwritten, and takes later states', async () => {
  const root = temporaryFolder();
  const ledger = createLedger(createFolderStore(root), 'default');
  const ref = { batch: 'b', id: 'a', n: 1 };
  expect(await ledger.claim({ ...ref, n: 2 }, intent())).toBe(true);
  const [shard = ''] = await createFolderStore(root).names('default/batches/b/attempts');
  const torn = join(root, 'default/batches/b/attempts', shard, 'a', '0001.000.json');
  writeFileSync(torn, '{"state":"intent","atMs":17');
  expect(await ledger.claim(ref, intent())).toBe(false);
  expect(await ledger.voidClaim(ref, 'no claim seen', { atMs: 1 })).toBe(false);
  expect(await ledger.readAttempt(ref)).toEqual({ n: 1, states: [], torn: true });
  expect(await ledger.append(ref, states.created)).toBe(true);
  expect(await ledger.readAttempt(ref)).toEqual({ n: 1, states: [states.created], torn: true });
});

test('F45, F56: a claim that the disk took only a part of leaves its place free', async () => {
  const store = createFolderStore(temporaryFolder());
  const ledger = createLedger(store, 'default');
  const ref = { batch: 'b', id: 'a', n: 1 };
  // The entry of the index and the claim, each under a name of its own first; then the claim under its own has no room.
  disk.writesLeft = 3;
  await expect(ledger.claim(ref, intent())).rejects.toMatchObject({ code: 'ENOSPC' });
  disk.writesLeft = Number.POSITIVE_INFINITY;
  expect(await ledger.readAttempt(ref)).toBeUndefined();
  expect(await ledger.claim(ref, intent())).toBe(true);
});
