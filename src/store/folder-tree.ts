import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, toStoreError } from './folder-errors.js';
import { type Folder, findFolder } from './folder-files.js';
import { byCodeUnit, isSafeSegment, segmentsOf } from './safe-key.js';

/** Walks the folder store in the order of its keys, without the temporary files. */

interface Found {
  name: string;
  isFolder: boolean;
}

/** Every key below the prefix, in code-unit order of the whole keys. */
export async function* listKeys(folder: Folder, prefix: string): AsyncIterable<string> {
  const path = await startOf(folder, prefix);
  if (path !== undefined) yield* walk(folder, path, prefix);
}

/** The names directly below the prefix. */
export async function namesIn(folder: Folder, prefix: string): Promise<string[]> {
  const path = await startOf(folder, prefix);
  if (path === undefined) return [];
  return (await entriesOf(path)).map((entry) => entry.name).sort(byCodeUnit);
}

async function* walk(folder: Folder, path: string, prefix: string): AsyncIterable<string> {
  const entries = await entriesOf(path).catch((error: unknown) => {
    throw toStoreError(error, 'read', prefix, folder.location);
  });
  // `a.json` comes before `a/b` and after `a-b`: a folder sorts as its name with the slash.
  entries.sort((a, b) => byCodeUnit(sortName(a), sortName(b)));
  for (const entry of entries) {
    const key = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isFolder) yield* walk(folder, join(path, entry.name), key);
    else yield key;
  }
}

async function startOf(folder: Folder, prefix: string): Promise<string | undefined> {
  try {
    return await findFolder(folder, prefix === '' ? [] : segmentsOf(prefix));
  } catch (error) {
    throw toStoreError(error, 'read', prefix, folder.location);
  }
}

async function entriesOf(path: string): Promise<Found[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => isSafeSegment(entry.name) && (entry.isFile() || entry.isDirectory()))
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function sortName(entry: Found): string {
  return entry.isFolder ? `${entry.name}/` : entry.name;
}
