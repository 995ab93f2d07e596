import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from './folder-errors.js';
import { bytesBelow, type Leftover } from './leftovers.js';

/** What lies in this machine's temporary folder only while a process works with it; the names say whose it is. */

type Purpose = 'upload' | 'frame' | 'poster' | 'errors';

const NAME = /^callsheet-(?:upload|frame|poster|errors)-(\d+)-[0-9a-f]{24}$/;
/** Nothing takes as long: by then another process may have the number. */
const LEFT_OVER_MS = 86_400_000;

export function passingFolder(): string {
  return tmpdir();
}

/** A path that nothing else has. */
export function newPassingPath(purpose: Purpose): string {
  return join(passingFolder(), `callsheet-${purpose}-${process.pid}-${randomBytes(12).toString('hex')}`);
}

/** A folder that its maker removes; those of processes that were killed are removed first. */
export async function makePassingFolder(purpose: Purpose): Promise<string> {
  await clearPassed();
  const path = newPassingPath(purpose);
  await mkdir(path, { mode: 0o700 });
  return path;
}

/** Removes what killed processes left; what cannot be removed is in nobody's way. */
export async function clearPassed(): Promise<void> {
  for await (const { remove } of findPassed(Date.now())) await remove().catch(() => undefined);
}

/** This user's files and folders whose process is gone. */
export async function* findPassed(nowMs: number): AsyncIterable<Leftover> {
  const folder = passingFolder();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const facts = await lstat(path).catch(() => undefined);
    if (!(facts?.isFile() || facts?.isDirectory()) || facts.uid !== process.getuid?.()) continue;
    if (isAlive(Number(pid)) && nowMs - facts.mtimeMs < LEFT_OVER_MS) continue;
    const bytes = facts.isFile() ? facts.size : await bytesBelow(path);
    yield { path, bytes, remove: () => rm(path, { recursive: true, force: true }) };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
