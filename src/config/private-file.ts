import { open } from 'node:fs/promises';
import { fileReason } from '../domain/file-reason.js';

/**
 * The text of a file that holds a secret. `refuse` is told in one sentence what is wrong: it cannot be read, is no file,
 * can be read by everybody, or is larger than `bytesMax`; never what was read.
 */
export async function readPrivateFile(
  file: string,
  setting: string,
  bytesMax: number,
  refuse: (message: string) => never,
): Promise<string> {
  const handle = await open(file, 'r').catch((error: unknown) =>
    refuse(`the file of ${setting} cannot be read: ${fileReason(error)}`),
  );
  try {
    const facts = await handle.stat();
    if (!facts.isFile() && !facts.isFIFO()) return refuse(`${setting} must name a file`);
    // Windows has no such bits; its files are private to the user by their folder.
    if (process.platform !== 'win32' && (facts.mode & 0o007) !== 0) {
      return refuse(`the file of ${setting} can be read by every user of this machine: chmod 600 it`);
    }
    if (facts.size > bytesMax) return refuse(`the file of ${setting} is too large to be a key`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
