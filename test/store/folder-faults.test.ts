import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLedger } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { toStoreError } from '../../src/store/folder-errors.js';
import { intent } from '../home/support/examples.js';
import { collect, streamOf, temporaryFolder } from './support/temporary.js';

const bytes = Buffer.from('x');
const options = { attemptName: 'row-1', ifExists: 'fail' } as const;

async function fileHandlePrototype() {
  const handle = await open(import.meta.filename, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as typeof handle;
}

const systemError = (code: string) => Object.assign(new Error(`${code}: raw text`), { code });

const fsyncs = vi.hoisted(() => ({ fail: (_isFile: boolean): boolean => false }));
// A disk that fails cannot be had in a test: fsync(2) of a home's small files answers here as it does.
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const fsync = (file: number, done: (error: Error | null) => void) => {
    if (fsyncs.fail(real.fstatSync(file).isFile())) done(Object.assign(new Error('EIO'), { code: 'EIO' }));
    else real.fsync(file, done);
  };
  return { ...real, fsync };
});

/** Of a home on this machine's disk, and of one on a drive. */
async function failFsyncs(fail: (isFile: boolean) => boolean): Promise<void> {
  fsyncs.fail = fail;
  const prototype = await fileHandlePrototype();
  const real = prototype.sync;
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof prototype) {
    if (fail((await this.stat()).isFile())) throw systemError('EIO');
    await real.call(this);
  });
}

function mendFsyncs(): void {
  fsyncs.fail = () => false;
  vi.restoreAllMocks();
}

const places = ['private', 'shared'] as const;

afterEach(mendFsyncs);

describe('F45, F56: what the disk refuses is one sentence, and nothing half-written is left', () => {
  test('what is no file is not waited for, and not read: a pipe, a folder, a link', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    spawnSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')]);
    mkdirSync(join(root, 'folder'));
    symlinkSync('/etc/passwd', join(root, 'link'));
    for (const [key, code] of [
      ['pipe', 'ENOTFILE'],
      ['folder', 'EISDIR'],
      ['link', 'ELOOP'],
    ] as const) {
      await expect(store.size(key)).rejects.toMatchObject({ code: key === 'link' ? 'ENOTFILE' : code });
      await expect(store.get(key)).rejects.toMatchObject({ name: 'StoreError', code });
      await expect(store.read(key)).rejects.toMatchObject({ name: 'StoreError', code });
      await expect(store.stat(key)).rejects.toMatchObject({ name: 'StoreError', code });
    }
  });

  describe.each(places)('in a %s folder', (access) => {
    test('F56: a claim whose fsync fails throws, leaves no claim, and the place stays free', async () => {
      const ledger = createLedger(createFolderStore(temporaryFolder(), { access }), 'default');
      const ref = { batch: 'b', id: 'a', n: 1 };
      await failFsyncs(() => true);
      await expect(ledger.claim(ref, intent())).rejects.toMatchObject({ name: 'StoreError', code: 'EIO' });
      mendFsyncs();
      expect(await ledger.read('b', 'a')).toEqual([]);
      expect(await collect(ledger.open())).toEqual([]);
      expect(await ledger.claim(ref, intent())).toBe(true);
    });

    test.each([1, 2])('F56: when file %i of a claim fails, no temporary file of the other stays', async (failing) => {
      const root = temporaryFolder();
      const ledger = createLedger(createFolderStore(root, { access }), 'default');
      let syncs = 0;
      await failFsyncs((isFile) => isFile && ++syncs === failing);
      await expect(ledger.claim({ batch: 'b', id: 'a', n: 1 }, intent())).rejects.toMatchObject({ code: 'EIO' });
      const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files).toEqual([]);
    });

    test('F56: when only the folder cannot be made durable, the claim throws and its place counts as taken', async () => {
      const ledger = createLedger(createFolderStore(temporaryFolder(), { access }), 'default');
      const ref = { batch: 'b', id: 'a', n: 1 };
      await failFsyncs((isFile) => !isFile);
      await expect(ledger.claim(ref, intent())).rejects.toMatchObject({ code: 'EIO' });
      mendFsyncs();
      expect(await ledger.claim(ref, intent())).toBe(false);
      expect(await collect(ledger.open())).toHaveLength(1);
    });
  });

  test('F45: a disk error that only an early sync was told of is not hidden by a later one that succeeds', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    const prototype = await fileHandlePrototype();
    vi.spyOn(prototype, 'datasync').mockRejectedValueOnce(systemError('EIO')).mockResolvedValue(undefined);
    const pieces = Array.from({ length: 80 }, () => Buffer.alloc(1 << 20));
    await expect(store.putStream('m/a.mp4', streamOf(...pieces), options)).rejects.toMatchObject({ code: 'EIO' });
    expect(readdirSync(join(root, 'm'))).toEqual([]);
  });

  test('F45: a disk that takes only a part of a write gets the rest as well', async () => {
    const store = createFolderStore(temporaryFolder());
    const prototype = await fileHandlePrototype();
    vi.spyOn(prototype, 'writev').mockImplementation(async function (this: typeof prototype, buffers) {
      const { bytesWritten } = await this.write(Buffer.from('more '));
      return { bytesWritten, buffers };
    });
    await store.putStream('m/a.mp4', streamOf('more than ', 'five bytes'), options);
    expect(Buffer.from((await store.get('m/a.mp4')) ?? []).toString()).toBe('more than five bytes');
  });

  test('F45: a disk that fills up in the middle of a download', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    const prototype = await fileHandlePrototype();
    vi.spyOn(prototype, 'writev').mockRejectedValue(systemError('ENOSPC'));
    const piece = Buffer.alloc(3 << 20);
    const attempt = store.putStream('m/a.mp4', streamOf(piece, piece, piece), options);
    await expect(attempt).rejects.toThrow(`cannot write 'm/a.mp4' in ${root}: the disk is full (ENOSPC)`);
    vi.restoreAllMocks();
    expect(readdirSync(join(root, 'm'))).toEqual([]);
    expect(await store.putStream('m/a.mp4', streamOf('x'), options)).toMatchObject({ bytes: 1 });
  });

  test('F45: a file where a folder must be, and a folder where the file must be', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    writeFileSync(join(root, 'a'), 'x');
    mkdirSync(join(root, 'b'));
    writeFileSync(join(root, 'b', 'c'), 'x');
    await expect(store.put('a/b', bytes)).rejects.toThrow(/a part of the path is a file, not a folder/);
    await expect(store.put('b', bytes)).rejects.toMatchObject({ name: 'StoreError', key: 'b' });
    await expect(store.get('b')).rejects.toThrow(/a folder has that name/);
    expect(readdirSync(root).sort()).toEqual(['a', 'b']);
  });

  test('F45: a name that is too long for the file system', async () => {
    const root = temporaryFolder();
    const deep = Array.from({ length: 20 }, () => 'x'.repeat(250)).join('/');
    await expect(createFolderStore(root).put(deep, bytes)).rejects.toThrow(/the path is too long/);
  });

  test.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk quota is used up'],
    ['EACCES', 'permission denied'],
    ['EROFS', 'the file system is read-only'],
    ['EXDEV', 'the path crosses into another file system'],
    ['ENOTDIR', 'a part of the path is a file, not a folder'],
    ['ENAMETOOLONG', 'the path is too long for the file system'],
    ['EIO', 'the disk reports an error'],
    ['EWEIRD', 'the file system refuses'],
  ])('F45: %s in words', (code, words) => {
    const error = toStoreError(systemError(code), 'write', 'a/b', '/data');
    expect(error.message).toBe(`cannot write 'a/b' in /data: ${words} (${code})`);
    expect(error).toMatchObject({ name: 'StoreError', code, key: 'a/b' });
  });
});

const child = fileURLToPath(new URL('./children/report-write.ts', import.meta.url));
/** Gives a process a mount table of its own, where the machine lets one. */
const NAMESPACE = ['unshare', '-rm'] as const;

/** Runs the child in its own mount namespace on a file system mounted with these options. */
function inMount(mountOptions: string, action: string) {
  const root = temporaryFolder();
  const script = `mount -t tmpfs -o ${mountOptions} tmpfs "$1" && exec "$2" --import tsx "$3" "$1" ${action}`;
  const [program, flags] = NAMESPACE;
  const args = [flags, 'sh', '-c', script, 'sh', root, process.execPath, child];
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return { root, report: JSON.parse(stdout) as { message: string; code: string; left: string[] } };
}

const canMount = spawnSync(NAMESPACE[0], [NAMESPACE[1], 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

describe.skipIf(!canMount)('F45: real file systems', { timeout: 60_000 }, () => {
  test('a disk that is really full: part gone, sentence clear', () => {
    const { root, report } = inMount('size=300k', 'stream');
    expect(report.message).toBe(`cannot write 'm/a.mp4' in ${root}: the disk is full (ENOSPC)`);
    expect(report.left).toEqual(['m']);
  });

  test('a disk that is really full refuses a claim', () => {
    const { report } = inMount('size=300k', 'fill-then-claim');
    expect(report).toMatchObject({ code: 'ENOSPC' });
  });

  test('a read-only disk, found by the probe', () => {
    const { root, report } = inMount('ro', 'probe');
    expect(report.message).toBe(`cannot write ${root}: the file system is read-only (EROFS)`);
  });
});

test('F45, B54: a folder without permission, found by the probe', { timeout: 60_000 }, () => {
  const root = temporaryFolder();
  chmodSync(root, 0o555);
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', child, root, 'probe-as-nobody'], {
    encoding: 'utf8',
  });
  chmodSync(root, 0o755);
  expect(JSON.parse(stdout)).toMatchObject({
    message: `cannot write ${root}: permission denied (EACCES)`,
    left: [],
  });
});

test.skipIf(process.platform !== 'linux')('a parent that takes no folders is refused at once', async () => {
  const store = createFolderStore('/proc/nowhere/deep', { access: 'private' });
  await expect(store.put('a', bytes)).rejects.toMatchObject({ name: 'StoreError' });
});
