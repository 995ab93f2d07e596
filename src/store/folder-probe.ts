import { randomBytes } from 'node:crypto';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './folder-errors.js';
import { type Folder, makeFolder } from './folder-files.js';
import { type Store, StoreError } from './port.js';

export type ProbedFiles = Pick<Store, 'put' | 'putIfAbsent' | 'remove'>;

/** So often a probe may find its folder gone before the place counts as missing. */
const PROBES_MAX = 20;

/** Proves that files can be written and kept from a second writer; leaves nothing behind. Throws where they cannot. */
export async function probeFolder(folder: Folder, files: ProbedFiles): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await probeOnce(folder, files);
    } catch (error) {
      // Another command's probe of the same new folder took it away again.
      if (errorCode(error) !== 'ENOENT' || tries >= PROBES_MAX) throw error;
    }
  }
}

async function probeOnce(folder: Folder, files: ProbedFiles): Promise<void> {
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
