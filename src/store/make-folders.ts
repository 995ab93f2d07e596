import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './folder-errors.js';

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
