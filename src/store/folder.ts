import { lstat, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { callsOf, type Folder } from './folder-calls.js';
import { copyIntoFolder } from './folder-copy.js';
import { errorCode, noFile, toStoreError } from './folder-errors.js';
import {
  findFolder,
  makeFolder,
  openFile,
  type Place,
  publishIfAbsent,
  syncPlaces,
  writeTemporary,
} from './folder-files.js';
import { hashFile, streamToFolder } from './folder-stream.js';
import { listKeys, namesIn, occupiedKeys, type ProbedFiles, probeFolder, stampsIn } from './folder-tree.js';
import { type ByteRange, type Store, type StoreEntry, segmentsOf } from './port.js';

/** A store in a folder of this machine, or of a network drive that all workers share. */

export interface FolderStoreOptions {
  /** `private` = files 0600, folders 0700 (homes); `shared` = as the umask says (outputs). */
  access: 'private' | 'shared';
}

/**
 * The folder is made at the first write. Writes go to a temporary file in the target's own folder (names with a
 * leading dot are such files, and no key), are fsynced, then renamed or linked, then the folder is fsynced.
 */
export function createFolderStore(root: string, options: FolderStoreOptions = { access: 'private' }): Store {
  const isPrivate = options.access === 'private';
  const folder: Folder = {
    location: resolve(root),
    fileMode: isPrivate ? 0o600 : 0o666,
    folderMode: isPrivate ? 0o700 : 0o777,
    durable: new Set(),
    ...(isPrivate ? {} : { isNear: false }),
  };
  const { location } = folder;
  const writing = <T>(key: string, write: () => Promise<T>) => explained(folder, 'write', key, write);
  const reading = <T>(key: string, read: () => Promise<T>) => explained(folder, 'read', key, read);
  return {
    location,
    put: (key, bytes) => writing(key, () => put(folder, key, bytes)),
    putIfAbsent: (key, bytes) => writing(key, async () => (await putAllIfAbsent(folder, [{ key, bytes }]))[0] === true),
    putAllIfAbsent: (entries) => writing(entries.at(-1)?.key ?? '', () => putAllIfAbsent(folder, entries)),
    get: (key) => reading(key, () => withFile(folder, key, (path) => readWhole(folder, path))),
    read: (key, range) => reading(key, () => withFile(folder, key, (path) => openStream(path, range))),
    list: (prefix) => listKeys(folder, prefix),
    occupied: (prefix) => occupiedKeys(folder, prefix),
    names: (prefix) => reading(prefix, () => namesIn(folder, prefix)),
    remove: (key) => explained(folder, 'remove', key, () => remove(folder, key)),
    removeAll: (prefix) => explained(folder, 'remove', prefix, () => removeAll(folder, prefix)),
    moveAll: (from, to) => writing(to, () => moveAll(folder, from, to)),
    putStream: (key, source, streamOptions) => streamToFolder(folder, key, source, streamOptions),
    copyFile: (from, key, copyOptions) => copyIntoFolder(folder, from, key, copyOptions),
    placeOf: (key) => ({ in: 'folder', path: join(location, ...segmentsOf(key)) }),
    stat: (key) => reading(key, () => withFile(folder, key, hashFile)),
    size: (key) => reading(key, () => withFile(folder, key, sizeOf)),
    url: () => Promise.resolve(undefined),
    stamps: (keys) => stampsIn(location, keys),
    freeBytes: () => reading('', () => freeBytes(location)),
    probe: () => explained(folder, 'write', '', () => probeFolder(folder, unexplained(folder))),
  };
}

/** Of these the probe tells what the folder refuses, not which file. */
function unexplained(folder: Folder): ProbedFiles {
  return {
    put: (key, bytes) => put(folder, key, bytes),
    putIfAbsent: async (key, bytes) => (await putAllIfAbsent(folder, [{ key, bytes }]))[0] === true,
    remove: (key) => remove(folder, key),
  };
}

async function put(folder: Folder, key: string, bytes: Uint8Array): Promise<void> {
  const segments = segmentsOf(key);
  const { place, temporary } = await writeTemporary(folder, segments.slice(0, -1), bytes);
  const calls = await callsOf(folder);
  await calls.rename(temporary, join(place.path, segments.at(-1) ?? '')).catch(async (error: unknown) => {
    await calls.remove(temporary);
    throw error;
  });
  await syncPlaces(folder, [place]);
}

async function putAllIfAbsent(folder: Folder, entries: readonly StoreEntry[]): Promise<boolean[]> {
  const targets = entries.map((entry) => ({ segments: segmentsOf(entry.key), bytes: entry.bytes }));
  const written = await Promise.allSettled(
    targets.map(({ segments, bytes }) => writeTemporary(folder, segments.slice(0, -1), bytes)),
  );
  const files = written.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const calls = await callsOf(folder);
  const drop = () => Promise.all(files.map(({ temporary }) => calls.remove(temporary)));
  const outcome: boolean[] = [];
  try {
    for (const result of written) if (result.status === 'rejected') throw result.reason;
    for (const [i, { temporary }] of files.entries()) {
      const { segments, bytes } = targets[i] ?? { segments: [], bytes: new Uint8Array() };
      outcome.push(await publishIfAbsent(folder, temporary, join(dirname(temporary), segments.at(-1) ?? ''), bytes));
    }
  } catch (error) {
    await drop();
    throw error;
  }
  // Also where a key was taken: its writer may have died before it was durable, and we are about to rely on it.
  const places = files.map(({ place }) => place);
  await Promise.all([syncPlaces(folder, places), drop()]);
  return outcome;
}

/** Runs `use` on the file's real path; undefined when it, or a folder above it, does not exist. */
async function withFile<T>(folder: Folder, key: string, use: (path: string) => Promise<T>): Promise<T | undefined> {
  const segments = segmentsOf(key);
  const path = await findFolder(folder, segments.slice(0, -1));
  if (path === undefined) return undefined;
  try {
    return await use(join(path, segments.at(-1) ?? ''));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  const facts = await lstat(path);
  if (!facts.isFile()) throw noFile(path, facts);
  return facts.size;
}

async function readWhole(folder: Folder, path: string): Promise<Uint8Array> {
  const small = await (await callsOf(folder)).readSmall(path);
  if (small !== undefined) return small;
  const handle = await openFile(path);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function openStream(path: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
  const handle = await openFile(path);
  return handle.createReadStream({ ...range, highWaterMark: 1 << 18 });
}

async function remove(folder: Folder, key: string): Promise<void> {
  await withFile(folder, key, (path) => rm(path, { force: true }));
}

async function removeAll(folder: Folder, prefix: string): Promise<void> {
  const path = await findFolder(folder, segmentsOf(prefix));
  if (path !== undefined) await rm(path, { recursive: true, force: true });
}

async function moveAll(folder: Folder, from: string, to: string): Promise<void> {
  const source = await findFolder(folder, segmentsOf(from));
  if (source === undefined) return;
  const target = segmentsOf(to);
  const above = await makeFolder(folder, target.slice(0, -1));
  const destination = join(above.path, target.at(-1) ?? '');
  const places: Place[] = [above, { path: dirname(source), unsynced: [], made: [] }];
  try {
    await rename(source, destination);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    for await (const key of listKeys(folder, from)) {
      const segments = [...target, ...key.slice(from.length + 1).split('/')];
      const place = await makeFolder(folder, segments.slice(0, -1));
      await rename(join(source, key.slice(from.length + 1)), join(place.path, segments.at(-1) ?? ''));
      places.push(place);
    }
    await rm(source, { recursive: true, force: true });
  }
  folder.durable.clear();
  await syncPlaces(folder, places);
}

async function freeBytes(location: string): Promise<number | undefined> {
  for (let path = location; ; path = dirname(path)) {
    const facts = await statfs(path).catch(() => undefined);
    if (facts !== undefined) return facts.bavail * facts.bsize;
    if (path === dirname(path)) return undefined;
  }
}

async function explained<T>(
  folder: Folder,
  verb: 'write' | 'read' | 'remove',
  key: string,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toStoreError(error, verb, key, folder.location);
  }
}
