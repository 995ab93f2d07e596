import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Folder } from './folder-calls.js';
import { errorCode, toStoreError } from './folder-errors.js';
import { makeFolder, NO_LINKS, openFile, syncPlaces } from './folder-files.js';
import { type CommittedFile, type PendingFile, type PutStreamOptions, type StoredFile, segmentsOf } from './port.js';
import { takeKey } from './take-key.js';
import { writeBehind } from './write-behind.js';

/** Streams a file of any length into the folder store: a part file, fsync, inspection, then the final name. */

const HEAD_BYTES = 1 << 18;

export async function streamToFolder(
  folder: Folder,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutStreamOptions,
): Promise<CommittedFile> {
  const foreign = new Set<unknown>();
  const fill = async (part: string) => {
    const file = await writePart(part, folder.fileMode, remembering(source, foreign));
    await inspect({ ...file, localPath: part }, options, foreign);
    return file;
  };
  return intoFolder(folder, key, options, fill, foreign);
}

/** Gives what `fill` writes into a part file its name. `foreign` errors come out as they are. */
export async function intoFolder(
  folder: Folder,
  key: string,
  options: PutStreamOptions,
  fill: (part: string) => Promise<StoredFile>,
  foreign: ReadonlySet<unknown> = new Set(),
): Promise<CommittedFile> {
  let part: string | undefined;
  try {
    const place = await makeFolder(folder, segmentsOf(key).slice(0, -1));
    await removeStaleParts(place.path, options.attemptName);
    part = join(place.path, `${partPrefix(options.attemptName)}${randomBytes(6).toString('hex')}`);
    const file = await fill(part);
    const taken = await commit(part, place.path, key, file, options);
    await syncPlaces(folder, [place]);
    return { ...taken, bytes: file.bytes, sha256: file.sha256 };
  } catch (error) {
    if (foreign.has(error)) throw error;
    throw toStoreError(isCleared(part, error) ? PART_CLEARED : error, 'write', key, folder.location);
  } finally {
    if (part !== undefined) await rm(part, { force: true }).catch(() => undefined);
  }
}

/** What a writer is told whose part another one of the same name has cleared away. */
const PART_CLEARED = Object.assign(new Error('part cleared away'), { code: 'EBUSY' });

function isCleared(part: string | undefined, error: unknown): boolean {
  return part !== undefined && errorCode(error) === 'ENOENT' && !existsSync(part) && existsSync(dirname(part));
}

/** Size and sha256 of a file, read in constant memory. */
export async function hashFile(path: string): Promise<StoredFile> {
  const handle = await openFile(path);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of handle.createReadStream({ highWaterMark: HEAD_BYTES })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function writePart(part: string, mode: number, source: AsyncIterable<Uint8Array>): Promise<PendingFile> {
  const handle = await open(part, 'wx', mode);
  try {
    const file = await copyInto(handle, source);
    await handle.sync();
    return file;
  } finally {
    await handle.close();
  }
}

/** Writes one piece while the next one arrives, so that disk and network work at the same time. */
async function copyInto(handle: FileHandle, source: AsyncIterable<Uint8Array>): Promise<PendingFile> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  const disk = writeBehind(handle, 'durable');
  let headBytes = 0;
  let bytes = 0;
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      if (headBytes < HEAD_BYTES) {
        head.push(chunk.slice(0, HEAD_BYTES - headBytes));
        headBytes += Math.min(chunk.length, HEAD_BYTES - headBytes);
      }
      await disk.write(chunk);
    }
    await disk.flush();
  } finally {
    await disk.settled(); // the handle must not be closed under a write
  }
  return { bytes, sha256: hash.digest('hex'), head: Buffer.concat(head) };
}

async function inspect(file: PendingFile, options: PutStreamOptions, foreign: Set<unknown>): Promise<void> {
  try {
    await options.beforeCommit?.(file);
  } catch (error) {
    foreign.add(error);
    throw error;
  }
}

function commit(part: string, path: string, key: string, file: StoredFile, options: PutStreamOptions) {
  return takeKey(key, options, async (_, name) => {
    const target = join(path, name);
    if (await holds(target, file)) return { wasThere: true };
    if (options.ifExists === 'fail') return (await takeName(part, target)) ? { wasThere: false } : undefined;
    await rename(part, target);
    return { wasThere: false };
  });
}

/** True when the name holds exactly these bytes already: a crash after the rename, or the same output again. */
async function holds(target: string, file: StoredFile): Promise<boolean> {
  try {
    const facts = await lstat(target);
    if (!facts.isFile() || facts.size !== file.bytes) return false;
    return (await hashFile(target)).sha256 === file.sha256;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function takeName(part: string, target: string): Promise<boolean> {
  try {
    await link(part, target);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  // No links here: a name that is free is renamed to. Names are unique within a batch, so nobody else takes it.
  const taken = await lstat(target).then(
    () => true,
    (error: unknown) => (errorCode(error) === 'ENOENT' ? false : Promise.reject(error)),
  );
  if (!taken) await rename(part, target);
  return !taken;
}

/** A later run of the same attempt removes what a killed one left; a paused one that wakes up finds its part gone. */
async function removeStaleParts(path: string, attemptName: string): Promise<void> {
  const prefix = partPrefix(attemptName);
  for (const name of await readdir(path)) {
    if (name.startsWith(prefix)) await rm(join(path, name), { force: true });
  }
}

function partPrefix(attemptName: string): string {
  const readable = attemptName.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 100);
  return `.part-${readable}-${createHash('sha256').update(attemptName).digest('hex').slice(0, 12)}-`;
}

async function* remembering(source: AsyncIterable<Uint8Array>, foreign: Set<unknown>): AsyncIterable<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    foreign.add(error);
    throw error;
  }
}
