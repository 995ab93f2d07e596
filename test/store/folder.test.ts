import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createFolderStore } from '../../src/store/folder.js';
import { storeConformance } from './support/store-conformance.js';
import { collect, streamOf, temporaryFolder } from './support/temporary.js';

storeConformance('folder', async () => createFolderStore(join(temporaryFolder(), 'new', 'store')));

const bytes = Buffer.from('x');
const options = { attemptName: 'row-1', ifExists: 'fail' } as const;
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('folder: what no file can be written to is told beside the files: folders, and links wherever they lead', async () => {
  const root = temporaryFolder();
  const store = createFolderStore(root);
  await store.put('m/a/b', bytes);
  symlinkSync('a', join(root, 'm', 'inside'));
  symlinkSync(temporaryFolder(), join(root, 'm', 'outside'));
  symlinkSync('nowhere', join(root, 'm', 'lost'));
  symlinkSync('round', join(root, 'm', 'round'));
  const told = await collect(store.occupied?.('m') ?? store.list(''));
  expect(told.sort()).toEqual(['m/a/', 'm/a/b', 'm/inside/', 'm/lost', 'm/outside', 'm/round']);
  expect(await collect(store.list('m'))).toEqual(['m/a/b']);
});

describe('folder: other users of the machine', () => {
  test('a home is 0700 and its records 0600, whatever the umask', async () => {
    const root = join(temporaryFolder(), 'home');
    const before = process.umask(0);
    try {
      const store = createFolderStore(root);
      await store.put('a/b.json', bytes);
      await store.putIfAbsent('a/c.json', bytes);
      await store.putStream('a/d.json', streamOf('x'), options);
      for (const name of ['b', 'c', 'd']) expect(modeOf(join(root, 'a', `${name}.json`))).toBe('600');
      expect(modeOf(root)).toBe('700');
      expect(modeOf(join(root, 'a'))).toBe('700');
    } finally {
      process.umask(before);
    }
  });

  test('outputs are as the umask says', async () => {
    const root = join(temporaryFolder(), 'out');
    const before = process.umask(0o022);
    try {
      await createFolderStore(root, { access: 'shared' }).putStream('a/d.png', streamOf('x'), options);
      expect(modeOf(join(root, 'a', 'd.png'))).toBe('644');
      expect(modeOf(join(root, 'a'))).toBe('755');
    } finally {
      process.umask(before);
    }
  });
});

describe('folder: the probe before anything is submitted (B54)', () => {
  test('command lines that start together on one new folder do not refuse it because of each other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const root = join(temporaryFolder(), 'new', 'out');
      const probes = Array.from({ length: 8 }, async (_, i) => {
        await sleep(10 * i);
        await createFolderStore(root).probe();
      });
      expect((await Promise.allSettled(probes)).filter(({ status }) => status === 'rejected')).toEqual([]);
    }
  });

  test('what is written behind a probe stays, though the probe of another takes the empty folder away', async () => {
    for (let round = 0; round < 40; round += 1) {
      const root = join(temporaryFolder(), 'new', 'out');
      const writes = Array.from({ length: 8 }, async (_, i) => {
        const store = createFolderStore(root, { access: 'shared' });
        await sleep(i / 2);
        await store.probe();
        await (i % 2 === 0 ? store.put(`b/${i}`, bytes) : store.putIfAbsent(`b/${i}`, bytes));
      });
      expect((await Promise.allSettled(writes)).filter(({ status }) => status === 'rejected')).toEqual([]);
      expect(readdirSync(join(root, 'b'))).toHaveLength(8);
    }
  });
});

describe('folder: links (threats: path traversal)', () => {
  test('a folder that leads out of the root is neither written nor read', async () => {
    const root = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(outside, join(root, 'batch'));
    const store = createFolderStore(root);
    const refused = { name: 'StoreError', code: 'ELOOP' };
    await expect(store.put('batch/a', bytes)).rejects.toMatchObject(refused);
    await expect(store.putIfAbsent('batch/deep/a', bytes)).rejects.toMatchObject(refused);
    await expect(store.putStream('batch/a', streamOf('x'), options)).rejects.toMatchObject(refused);
    await expect(store.get('batch/secret')).rejects.toMatchObject(refused);
    await expect(store.names('batch')).rejects.toMatchObject(refused);
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  test('a link under the final name is never written through nor read', async () => {
    const root = temporaryFolder();
    const outside = join(temporaryFolder(), 'victim');
    writeFileSync(outside, 'victim');
    symlinkSync(outside, join(root, 'a'));
    const store = createFolderStore(root);
    await expect(store.get('a')).rejects.toMatchObject({ code: 'ELOOP' });
    expect(await store.putIfAbsent('a', bytes)).toBe(false);
    await expect(store.putStream('a', streamOf('other'), options)).rejects.toMatchObject({ code: 'EEXIST' });
    await store.put('a', bytes);
    expect(readFileSync(outside, 'utf8')).toBe('victim');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('x');
  });

  test('the root itself may be a link', async () => {
    const real = temporaryFolder();
    const root = join(temporaryFolder(), 'link');
    symlinkSync(real, root);
    await createFolderStore(root).put('a/b', bytes);
    expect(readFileSync(join(real, 'a', 'b'), 'utf8')).toBe('x');
  });
});

describe('folder: temporary files', () => {
  test('no write leaves one, and none is ever listed', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    writeFileSync(join(root, '.tmp-left'), 'x');
    await store.put('a', bytes);
    await store.putIfAbsent('a', bytes);
    await store.putIfAbsent('b', bytes);
    await store.putStream('c', streamOf('x'), options);
    await store.putStream('c', streamOf('y'), options).catch(() => undefined);
    expect(readdirSync(root).sort()).toEqual(['.tmp-left', 'a', 'b', 'c']);
    expect(await collect(store.list(''))).toEqual(['a', 'b', 'c']);
  });

  test('a later run of an attempt removes the part that a killed one left, and no other', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    let during: string[] = [];
    const beforeCommit = () => {
      during = readdirSync(root);
    };
    await store.putStream('c', streamOf('x'), { ...options, beforeCommit });
    const [part = ''] = during;
    expect(part).toMatch(/^\.part-row-1-/);
    const otherPart = part.replace('row-1', 'row-2');
    writeFileSync(join(root, part), 'left over');
    writeFileSync(join(root, otherPart), 'of another attempt');
    await store.putStream('d', streamOf('y'), options);
    expect(readdirSync(root).sort()).toEqual([otherPart, 'c', 'd']);
  });

  test('a paused run whose part was taken away writes nothing', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    async function* slow() {
      yield Buffer.from('first half');
      await store.putStream('c', streamOf('whole'), options);
      yield Buffer.from('second half');
    }
    await expect(store.putStream('c', slow(), options)).rejects.toMatchObject({
      name: 'StoreError',
      message: `cannot write 'c' in ${root}: the file is in use (EBUSY)`,
    });
    expect(readFileSync(join(root, 'c'), 'utf8')).toBe('whole');
  });
});

describe('folder: what others do to it', () => {
  test('a folder that was removed is made again', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    await store.put('a/b/c', bytes);
    rmSync(join(root, 'a'), { recursive: true });
    await store.put('a/b/d', bytes);
    expect(await collect(store.list(''))).toEqual(['a/b/d']);
    rmSync(root, { recursive: true });
    expect(await store.get('a/b/d')).toBeUndefined();
    expect(await store.putIfAbsent('a/b/e', bytes)).toBe(true);
  });

  test('files that are no keys are not listed', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, '.DS_Store'), '');
    writeFileSync(join(root, 'my notes.txt'), '');
    mkdirSync(join(root, 'ok'));
    expect(await createFolderStore(root).names('')).toEqual(['ok']);
  });

  test('freeBytes answers for a folder that does not exist yet', async () => {
    const free = await createFolderStore(join(temporaryFolder(), 'not', 'yet')).freeBytes();
    expect(free).toBeGreaterThan(0);
  });
});
