import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { callsOf, type Folder } from './folder-calls.js';
import { errorCode, toStoreError } from './folder-errors.js';
import { findFolder, makeFolder } from './folder-files.js';
import { byCodeUnit, isSafeSegment, type Store, StoreError, segmentsOf } from './port.js';

/** Walks the folder store in the order of its keys, without the temporary files. */

interface Found {
  name: string;
  /** `other`: a link, a pipe or the like. */
  sort: 'file' | 'folder' | 'other';
}

/** Every key below the prefix, in code-unit order of the whole keys. */
export async function* listKeys(folder: Folder, prefix: string): AsyncIterable<string> {
  const path = await startOf(folder, prefix);
  if (path === undefined) return;
  for await (const { key, sort } of walk(folder, path, prefix)) if (sort === 'file') yield key;
}

/**
 * Whatever has a name below the prefix, folders with a slash at the end. A link to a folder of the store counts as that
 * folder, and is not walked: it may lead in a circle.
 */
export async function* occupiedKeys(folder: Folder, prefix: string): AsyncIterable<string> {
  const path = await startOf(folder, prefix);
  if (path === undefined) return;
  for await (const { key, sort } of walk(folder, path, prefix)) {
    const isFolder = sort === 'folder' || (sort === 'other' && (await leadsToFolder(folder, key)));
    yield isFolder ? `${key}/` : key;
  }
}

/** The names directly below the prefix. */
export async function namesIn(folder: Folder, prefix: string): Promise<string[]> {
  const path = await startOf(folder, prefix);
  if (path === undefined) return [];
  const entries = (await entriesOf(folder, path)).filter(({ sort }) => sort !== 'other');
  return entries.map((entry) => entry.name).sort(byCodeUnit);
}

async function* walk(
  folder: Folder,
  path: string,
  prefix: string,
): AsyncIterable<{ key: string; sort: Found['sort'] }> {
  const entries = await entriesOf(folder, path).catch((error: unknown) => {
    throw toStoreError(error, 'read', prefix, folder.location);
  });
  // `a.json` comes before `a/b` and after `a-b`: a folder sorts as its name with the slash.
  entries.sort((a, b) => byCodeUnit(sortName(a), sortName(b)));
  for (const entry of entries) {
    const key = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    yield { key, sort: entry.sort };
    if (entry.sort === 'folder') yield* walk(folder, join(path, entry.name), key);
  }
}

async function leadsToFolder(folder: Folder, key: string): Promise<boolean> {
  try {
    const path = await findFolder(folder, segmentsOf(key));
    return path !== undefined && lstatSync(path).isDirectory();
  } catch {
    // It leads out of the store, or in a circle: nothing can be written there.
    return false;
  }
}

async function startOf(folder: Folder, prefix: string): Promise<string | undefined> {
  try {
    return await findFolder(folder, prefix === '' ? [] : segmentsOf(prefix));
  } catch (error) {
    throw toStoreError(error, 'read', prefix, folder.location);
  }
}

async function entriesOf(folder: Folder, path: string): Promise<Found[]> {
  try {
    const entries = await (await callsOf(folder)).entries(path);
    return entries
      .filter((entry) => isSafeSegment(entry.name))
      .map((entry) => ({ name: entry.name, sort: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other' }));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function sortName(entry: Found): string {
  return entry.sort === 'folder' ? `${entry.name}/` : entry.name;
}

/** A file system's clock may tick this slowly, ms: what was changed less long ago may change again unseen. */
const TICK_MAX_MS = 2_000;
const BETWEEN_PAUSES = 2_000;

/** What tells each file or folder from what it was before; undefined where it is absent. */
export async function stampsIn(location: string, keys: readonly string[]): Promise<(string | undefined)[]> {
  const stamps: (string | undefined)[] = [];
  for (const key of keys) {
    stamps.push(stampOf(location, key));
    // A call each takes microseconds, a turn of the pool of threads ten times that; others get their turn all the same.
    if (stamps.length % BETWEEN_PAUSES === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return stamps;
}

function stampOf(location: string, key: string): string | undefined {
  try {
    const { mtimeNs, mtimeMs, ino, size } = lstatSync(join(location, ...segmentsOf(key)), { bigint: true });
    const stamp = `${mtimeNs}.${ino}.${size}`;
    const isOld = Math.abs(Date.now() - Number(mtimeMs)) > TICK_MAX_MS;
    return isOld ? stamp : `${stamp}.${randomBytes(4).toString('hex')}`;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw toStoreError(error, 'read', key, location);
  }
}

export type ProbedFiles = Pick<Store, 'put' | 'putIfAbsent' | 'remove'>;

/** Proves that files can be written and kept from a second writer; leaves nothing behind. Throws where they cannot. */
export async function probeFolder(folder: Folder, files: ProbedFiles): Promise<void> {
  const key = `probe-${randomBytes(6).toString('hex')}`;
  const bytes = Buffer.from('callsheet');
  const { unsynced } = await makeFolder(folder, []);
  try {
    await files.put(key, bytes);
    if (await files.putIfAbsent(key, bytes)) {
      throw new StoreError('PROBE', `${folder.location} lets a second writer replace a file that must be kept`);
    }
  } finally {
    await files.remove(key);
    // The folders that were made for the probe go again; one that holds something stays.
    for (let i = 0, path = folder.location; i < unsynced.length; i++, path = dirname(path)) {
      await rmdir(path).catch(() => undefined);
    }
    folder.durable.clear();
  }
}
