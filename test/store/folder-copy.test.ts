// A copy of an earlier render within folders: of one that was made read-only, and onto a drive whose files are another user's.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from './support/temporary.js';

const NOBODY = 65_534;
const drive = vi.hoisted(() => ({ isOthers: false }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const chmod: typeof real.chmod = async (...change) => {
    if (drive.isOthers) throw Object.assign(new Error('chmod'), { code: 'EPERM' });
    return real.chmod(...change);
  };
  return { ...real, chmod };
});

const isRoot = process.geteuid?.() === 0;
afterEach(() => {
  drive.isOthers = false;
  if (isRoot) process.seteuid?.(0);
});

const FILM = Buffer.from('a film');
const expected = { bytes: FILM.length, sha256: createHash('sha256').update(FILM).digest('hex') };

/** Copies a film of that mode into another batch's folder; gives the mode of the copy. */
async function copyOf(mode: number): Promise<number> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  // Whoever may do everything may write to a file that is read-only, too.
  if (isRoot) process.seteuid?.(NOBODY);
  mkdirSync(join(folder, 'old'));
  const path = join(folder, 'old', 'film.mp4');
  writeFileSync(path, FILM);
  chmodSync(path, mode);
  const store = createFolderStore(join(folder, 'new'), { access: 'shared' });
  const copied = await store.copyFile?.({ in: 'folder', path }, 'b/media/film.mp4', { attemptName: 'film', expected });
  expect(copied).toMatchObject({ key: 'b/media/film.mp4', ...expected });
  return statSync(join(folder, 'new', 'b', 'media', 'film.mp4')).mode & 0o777;
}

test('of a render that was made read-only is a file as any other', async () => {
  expect(await copyOf(0o444)).toBe(0o666 & ~process.umask());
});

test('is made where no mode can be given', async () => {
  drive.isOthers = true;
  expect(await copyOf(0o644)).toBe(0o644);
});
