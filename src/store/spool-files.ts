import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from './folder-errors.js';
import type { Leftover } from './leftovers.js';

/** The files of this machine that hold what is on its way into a bucket; their names say whose they are. */

const NAME = /^callsheet-upload-(\d+)-[0-9a-f]{24}$/;
/** No upload lasts as long: by then another process may have the number. */
const LEFT_OVER_MS = 86_400_000;

export function spoolFolder(): string {
  return tmpdir();
}

/** A path that nothing else has. */
export function newSpoolPath(): string {
  return join(spoolFolder(), `callsheet-upload-${process.pid}-${randomBytes(12).toString('hex')}`);
}

/** This user's files whose process is gone. */
export async function* findSpooled(nowMs: number): AsyncIterable<Leftover> {
  const folder = spoolFolder();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const facts = await lstat(path).catch(() => undefined);
    if (!facts?.isFile() || facts.uid !== process.getuid?.()) continue;
    if (isAlive(Number(pid)) && nowMs - facts.mtimeMs < LEFT_OVER_MS) continue;
    yield { path, bytes: facts.size, remove: () => rm(path, { force: true }) };
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
