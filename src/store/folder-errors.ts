import type { Stats } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from './port.js';

/** Turns what the file system says into one sentence that tells the user what to do. */

const SENTENCES: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system or a limit allows',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'a folder has that name',
  ENOTFILE: 'what has that name is no file',
  EEXIST: 'the name is taken',
  ENAMETOOLONG: 'the path is too long for the file system',
  EXDEV: 'the path crosses into another file system',
  ELOOP: 'the path leads through a link',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the machine has too many files open',
  EIO: 'the disk reports an error',
  ESTALE: 'the network drive lost the file',
  ETIMEDOUT: 'the network drive does not answer',
  EBUSY: 'the file is in use',
  ENOTEMPTY: 'the folder is not empty',
};

/** The system's code of an error (`ENOSPC`), or undefined when it is no system error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function noFile(path: string, facts: Stats): Error {
  return Object.assign(new Error(`${path} is no file`), { code: facts.isDirectory() ? 'EISDIR' : 'ENOTFILE' });
}

/** What a code of the file system means, in words; undefined for every other code. */
export function folderTrouble(code: string): string | undefined {
  return SENTENCES[code];
}

/** A StoreError for a failed file operation: `cannot write 'a/b' in /data: the disk is full (ENOSPC)`. */
export function toStoreError(error: unknown, verb: 'write' | 'read' | 'remove', key: string, location: string): Error {
  if (error instanceof StoreError) return error;
  const code = errorCode(error);
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  const what = SENTENCES[code] ?? 'the file system refuses';
  const where = key === '' ? location : `'${key}' in ${location}`;
  return new StoreError(code, `cannot ${verb} ${where}: ${what} (${code})`, key);
}

/**
 * Makes a folder and those above it; gives the first that was not there, undefined where all were. Node's own way to do
 * so never comes back where a parent that is there takes no folders, as `/proc`.
 */
export async function makeFolders(path: string, mode: number): Promise<string | undefined> {
  const make = () =>
    mkdir(path, { mode }).then(
      () => path,
      (error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error;
        return undefined;
      },
    );
  try {
    return await make();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    const above = await makeFolders(dirname(path), mode);
    const own = await make();
    return above ?? own;
  }
}
