import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { createLedger } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { intent } from '../home/support/examples.js';
import { streamOf, temporaryFolder } from './support/temporary.js';

const log = vi.hoisted((): string[] => []);

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const { watchedDisk } = await import('./support/watched-disk.js');
  const nameOf = (path: string) =>
    path
      .split('/')
      .at(-1)
      ?.replace(/-?[0-9a-f]{12,}$/, '') ?? '';
  const unwatched = () => undefined;
  const told = {
    created: unwatched,
    written: unwatched,
    removed: unwatched,
    synced: (path: string) => log.push(`fsync ${nameOf(path)}`),
    linked: (_: string, to: string) => log.push(`link ${nameOf(to)}`),
    renamed: (_: string, to: string) => log.push(`rename ${nameOf(to)}`),
    made: (path: string) => log.push(`mkdir ${nameOf(path)}`),
  };
  return { ...real, ...watchedDisk(real, told) };
});

// A power cut cannot be had in a test: what is checked is that every fsync stands where a power cut needs it.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const nameOf = (path: unknown) =>
    String(path)
      .split('/')
      .at(-1)
      ?.replace(/-?[0-9a-f]{12,}$/, '') ?? '';
  return {
    ...real,
    open: async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
      const handle = await real.open(...args);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        await sync();
        log.push(`fsync ${nameOf(args[0])}`);
      };
      return handle;
    },
    link: async (from: string, to: string) => {
      await real.link(from, to);
      log.push(`link ${nameOf(to)}`);
    },
    rename: async (from: string, to: string) => {
      await real.rename(from, to);
      log.push(`rename ${nameOf(to)}`);
    },
    mkdir: async (...args: Parameters<typeof real.mkdir>) => {
      const made = await real.mkdir(...args);
      if (args[1] === undefined || made !== undefined || typeof args[1] !== 'object' || !args[1]?.recursive) {
        log.push(`mkdir ${nameOf(args[0])}`);
      }
      return made;
    },
  };
});

beforeEach(() => {
  log.length = 0;
});

test('F47: put is fsynced before its rename, and its folder after', async () => {
  const store = createFolderStore(temporaryFolder());
  await store.put('a/one', Buffer.from('x'));
  log.length = 0;
  await store.put('a/two', Buffer.from('x'));
  expect(log).toEqual(['fsync .tmp', 'rename two', 'fsync a']);
});

test('F47: a new folder is durable in its parent before the write is reported', async () => {
  const root = join(temporaryFolder(), 'root');
  await createFolderStore(root).putIfAbsent('a/b/one', Buffer.from('x'));
  const linked = log.indexOf('link one');
  expect(log.indexOf('fsync .tmp')).toBeLessThan(linked);
  for (const folder of ['root', 'a', 'b']) expect(log.lastIndexOf(`fsync ${folder}`)).toBeGreaterThan(linked);
});

test('F47: a folder that another process made is made durable by us as well', async () => {
  const root = temporaryFolder();
  await createFolderStore(root).put('a/b/one', Buffer.from('x'));
  log.length = 0;
  await createFolderStore(root).putIfAbsent('a/b/two', Buffer.from('x'));
  expect(log).toContain('fsync a');
  expect(log).toContain('fsync b');
});

test('F47: a lost race makes the winner durable before the loser relies on it', async () => {
  const store = createFolderStore(temporaryFolder());
  await store.putIfAbsent('a/one', Buffer.from('x'));
  log.length = 0;
  expect(await store.putIfAbsent('a/one', Buffer.from('y'))).toBe(false);
  expect(log.at(-1)).toBe('fsync a');
});

test('a claim costs two files and two folders, in two rounds, and is listed before it exists', async () => {
  const ledger = createLedger(createFolderStore(temporaryFolder()), 'default');
  await ledger.claim({ batch: 'b', id: 'row', n: 1 }, intent());
  log.length = 0;
  await ledger.claim({ batch: 'b', id: 'row', n: 2 }, intent());
  expect(log.slice(0, 4)).toEqual(['fsync .tmp', 'fsync .tmp', 'link row.0002.json', 'link 0002.000.json']);
  expect(log.slice(4).sort()).toEqual(['fsync b', 'fsync row']);
});

test('I7: a streamed file is fsynced before anybody inspects or sees it', async () => {
  const store = createFolderStore(temporaryFolder());
  await store.put('m/other', Buffer.from('x'));
  log.length = 0;
  const beforeCommit = () => {
    log.push('inspected');
  };
  await store.putStream('m/a', streamOf('x'), { attemptName: 'r', ifExists: 'fail', beforeCommit });
  expect(log[0]).toMatch(/^fsync \.part-r/);
  expect(log.slice(1)).toEqual(['inspected', 'link a', 'fsync m']);
});
