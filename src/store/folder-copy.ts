import { constants } from 'node:fs';
import { chmod, copyFile, open } from 'node:fs/promises';
import type { Folder } from './folder-calls.js';
import { errorCode } from './folder-errors.js';
import { hashFile, intoFolder } from './folder-stream.js';
import { type CommittedFile, type CopyOptions, type FilePlace, StoreError } from './port.js';

/**
 * Copies a file of this machine into the folder store: its blocks are shared where the file system can do that, never
 * the file itself, so that who changes one changes that one alone.
 */
export async function copyIntoFolder(
  folder: Folder,
  from: FilePlace,
  key: string,
  options: CopyOptions,
): Promise<CommittedFile> {
  if (from.in !== 'folder') throw new StoreError('BAD_ADDRESS', `${folder.location} takes no copy from a bucket`, key);
  const changed = () => new StoreError('CHANGED', `'${from.path}' is not the file that was stored there any more`, key);
  return intoFolder(folder, key, { ...options, ifExists: 'fail' }, async (part) => {
    await copyFile(from.path, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch((error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? changed() : error;
    });
    // The copy has the mode of its source, which may be a render that was made read-only. On a network drive that shows every
    // file as another user's there is no mode to give.
    await chmod(part, folder.fileMode & ~process.umask()).catch((error: unknown) => {
      if (errorCode(error) !== 'EPERM') throw error;
    });
    const handle = await open(part, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    const file = await hashFile(part);
    const { bytes, sha256 } = options.expected;
    if (file.bytes !== bytes || file.sha256 !== sha256) throw changed();
    return file;
  });
}
