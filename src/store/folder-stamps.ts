import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, toStoreError } from './folder-errors.js';
import { segmentsOf } from './safe-key.js';

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
