import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { callsOf, type Folder, type FolderCalls, TO_READ } from './folder-calls.js';
import { errorCode, makeFolders, noFile } from './folder-errors.js';
import { StoreError } from './port.js';

/** The file operations under the folder store: real paths below one root, temporary files, links and fsync. */

/** Where a write goes: a real folder, and the folders that must be fsynced for the write to be durable. */
export interface Place {
  path: string;
  unsynced: string[];
  /** Folders whose entries become durable with that. */
  made: string[];
}

const DURABLE_MAX = 20_000;
/** What file systems without hard links answer to link(2). */
export const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);
/** What file systems that cannot fsync a folder answer; a disk error is none of these. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Opens a file to be read, and nothing else: whoever reads a pipe waits for its writer for ever. */
export async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path, TO_READ);
  const facts = await handle.stat();
  if (facts.isFile()) return handle;
  await handle.close();
  throw noFile(path, facts);
}

/** The folder's real path, or undefined when it does not exist. A path that leads out of the root is refused. */
export async function findFolder(folder: Folder, segments: readonly string[]): Promise<string | undefined> {
  try {
    const { realPath } = await callsOf(folder);
    const real = await realPath(join(folder.location, ...segments));
    if (folder.root !== undefined && isInside(folder.root, real)) return real;
    folder.root = await realPath(folder.location);
    return insideOf(folder.root, real, segments);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes the folder and those above it, also where somebody removed one that was remembered. Nothing of it is durable
 * before `syncPlaces`.
 */
export function makeFolder(folder: Folder, segments: readonly string[]): Promise<Place> {
  return whileFolderGoes(folder, () => makeBelow(folder, segments));
}

/** Makes what was written into these folders durable, and remembers which of them need no fsync of their own again. */
export async function syncPlaces(folder: Folder, places: readonly Place[]): Promise<void> {
  const paths = new Set(places.flatMap((place) => [place.path, ...place.unsynced]));
  const calls = await callsOf(folder);
  await Promise.all([...paths].map((path) => syncFolder(calls, path)));
  if (folder.durable.size > DURABLE_MAX) folder.durable.clear();
  for (const path of places.flatMap((place) => place.made)) folder.durable.add(path);
}

/** A whole new file under a temporary name, fsynced, in the folder that it is to be in, which is made where it is absent. */
export function writeTemporary(
  folder: Folder,
  segments: readonly string[],
  bytes: Uint8Array,
): Promise<{ place: Place; temporary: string }> {
  return whileFolderGoes(folder, async () => {
    const place = await makeBelow(folder, segments);
    const temporary = join(place.path, `.tmp-${randomBytes(9).toString('hex')}`);
    await writeNew(await callsOf(folder), temporary, bytes, folder.fileMode);
    return { place, temporary };
  });
}

/** So often a folder may be found gone before its place counts as missing. */
const TRIES_MAX = 20;

/** Another command's probe takes a new folder away again while it is still empty: what was begun in it is begun anew. */
async function whileFolderGoes<T>(folder: Folder, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || tries >= TRIES_MAX) throw error;
      folder.durable.clear();
    }
  }
}

/**
 * Gives a finished temporary file its final name as well, if that is free. Atomic by link(2); where the file system has
 * no links, by exclusive creation, where a crash can leave a torn file under the name.
 */
export async function publishIfAbsent(folder: Folder, temporary: string, target: string, bytes: Uint8Array) {
  const calls = await callsOf(folder);
  try {
    await calls.link(temporary, target);
    return true;
  } catch (error) {
    const code = errorCode(error);
    // A network file system may have made the link and lost its answer: then the temporary file has two names.
    if (code === 'EEXIST') return (await lstat(temporary)).nlink === 2;
    if (code === undefined || !NO_LINKS.has(code)) throw error;
    return await createExclusively(calls, target, bytes, folder.fileMode);
  }
}

async function createExclusively(
  calls: FolderCalls,
  target: string,
  bytes: Uint8Array,
  mode: number,
): Promise<boolean> {
  try {
    await writeNew(calls, target, bytes, mode);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** A file that is made here and cannot be written whole goes away again: a claim that was torn so would never be free. */
async function writeNew(calls: FolderCalls, path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const handle = await calls.open(path, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await calls.remove(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function makeBelow(folder: Folder, segments: readonly string[]): Promise<Place> {
  const calls = await callsOf(folder);
  const { root, unsynced } = await makeRoot(folder, calls);
  const made = [root];
  let path = root;
  for (const segment of segments) {
    const parent = path;
    path = join(parent, segment);
    if (folder.durable.has(path)) continue;
    await calls.makeFolder(path, folder.folderMode).catch(async (error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
      // What is there may be a link: nothing may be made behind one that leads out.
      insideOf(root, await calls.realPath(path), segments);
    });
    unsynced.push(parent);
    made.push(path);
  }
  return { path: insideOf(root, await calls.realPath(path), segments), unsynced, made };
}

async function makeRoot(folder: Folder, calls: FolderCalls): Promise<{ root: string; unsynced: string[] }> {
  const unsynced: string[] = [];
  const known = await calls.realPath(folder.location).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });
  const first = known === undefined ? await makeFolders(folder.location, folder.folderMode) : undefined;
  const root = known ?? (await calls.realPath(folder.location));
  if (first !== undefined) {
    for (let path = folder.location; path !== dirname(first); path = dirname(path)) unsynced.push(dirname(path));
  } else if (!folder.durable.has(root)) {
    // Whoever made it may have died before its name was durable; a parent that we may not open is not ours to sync.
    await syncFolder(calls, dirname(root)).catch(() => undefined);
  }
  return { root, unsynced };
}

async function syncFolder(calls: FolderCalls, path: string): Promise<void> {
  const handle = await calls.open(path, 'r').catch((error: unknown) => {
    // Windows cannot open a folder; its file systems keep names in their own journal.
    if (process.platform === 'win32') return undefined;
    throw error;
  });
  try {
    await handle?.sync();
  } catch (error) {
    if (process.platform !== 'win32' && !NO_FOLDER_SYNC.has(errorCode(error) ?? '')) throw error;
  } finally {
    await handle?.close();
  }
}

function insideOf(root: string, real: string, segments: readonly string[]): string {
  if (isInside(root, real)) return real;
  const key = segments.join('/');
  throw new StoreError('ELOOP', `'${key}' leads out of ${root} through a link; callsheet writes only below it`, key);
}

function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}
