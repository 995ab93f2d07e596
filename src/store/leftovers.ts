import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './folder-errors.js';
import { isSafeSegment } from './port.js';

/** What a killed process left behind; in a folder store: parts, temporary files, rows of a check that broke off. */
export interface Leftover {
  /** Where it is, for people. */
  path: string;
  bytes: number;
  /** One that is gone already is well removed. */
  remove(): Promise<void>;
}

/** Temporary names of the folder store; no finished file and no record ever has one. */
const TEMPORARY = /^\.(?:part|tmp)-/;
/** Rows that are written under a name of their own until the whole manifest is good. */
const INCOMING = /^incoming-[0-9a-f]{16}$/;

/**
 * Everything left below the folder that nobody wrote to since `beforeMs` (epoch ms); links are not followed. A folder
 * that is not there has nothing. Of a batch in a home the rows of broken checks lie in its `rows/` and nowhere else: any
 * other folder of such a name has what a row of that id was paid for.
 */
export async function* findLeftovers(folder: string, beforeMs: number): AsyncIterable<Leftover> {
  const rows = join(folder, 'rows');
  for (const entry of await entriesOf(rows)) {
    const path = join(rows, entry.name);
    if (!entry.isDirectory() || !INCOMING.test(entry.name)) continue;
    if (await isOlder(path, beforeMs)) yield leftover(path, await bytesBelow(path));
  }
  yield* temporaryBelow(folder, beforeMs);
}

async function* temporaryBelow(folder: string, beforeMs: number): AsyncIterable<Leftover> {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && isSafeSegment(entry.name)) {
      yield* temporaryBelow(path, beforeMs);
    } else if (entry.isFile() && TEMPORARY.test(entry.name)) {
      const facts = await lstat(path).catch(() => undefined);
      if (facts !== undefined && facts.mtimeMs < beforeMs) yield leftover(path, facts.size);
    }
  }
}

function leftover(path: string, bytes: number): Leftover {
  return { path, bytes, remove: () => rm(path, { recursive: true, force: true }) };
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** True when neither the folder nor a file in it was written to since then. */
async function isOlder(folder: string, beforeMs: number): Promise<boolean> {
  const names = (await entriesOf(folder)).map((entry) => join(folder, entry.name));
  const facts = await Promise.all([folder, ...names].map((path) => lstat(path).catch(() => undefined)));
  return facts.every((one) => one === undefined || one.mtimeMs < beforeMs);
}

/** Of the files that lie in it; what is gone meanwhile counts nothing. */
export async function bytesBelow(folder: string): Promise<number> {
  const names = (await entriesOf(folder)).map((entry) => join(folder, entry.name));
  const facts = await Promise.all(names.map((path) => lstat(path).catch(() => undefined)));
  return facts.reduce((sum, one) => sum + (one?.size ?? 0), 0);
}
