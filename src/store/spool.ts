import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toStoreError } from './folder-errors.js';
import type { PendingFile } from './port.js';
import { writeBehind } from './write-behind.js';

/** A stream that is held on this machine until it is known to be whole and good: small in memory, else in a file. */
export interface Spooled extends PendingFile {
  /** Fills the buffer from there on. */
  read(offset: number, into: Buffer): Promise<void>;
  /** Frees what it takes. */
  remove(): Promise<void>;
}

/** Files up to this are uploaded in one request and never touch the disk. */
export const MEMORY_BYTES_MAX = 8 * 1024 * 1024;

const HEAD_BYTES = 1 << 18;
const NAME = /^callsheet-upload-[0-9a-f]+$/;
/** What a killed process left; no upload lasts as long. */
const LEFT_OVER_MS = 86_400_000;

/** Errors of the source come out as they are; errors of the disk are StoreErrors. */
export async function spool(source: AsyncIterable<Uint8Array>): Promise<Spooled> {
  const hash = createHash('sha256');
  const kept: Uint8Array[] = [];
  let bytes = 0;
  let file: SpoolFile | undefined;
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      if (file === undefined && bytes > MEMORY_BYTES_MAX) {
        file = await createFile();
        for (const one of kept) await file.write(one);
        kept.splice(0, kept.length, Buffer.from(Buffer.concat(kept).subarray(0, HEAD_BYTES)));
      }
      if (file === undefined) kept.push(chunk);
      else await file.write(chunk);
    }
    await file?.flush();
  } catch (error) {
    await file?.remove();
    throw error;
  }
  const sha256 = hash.digest('hex');
  const head = Buffer.concat(kept);
  if (file === undefined) {
    return { bytes, sha256, head, read: fromMemory(head), remove: () => Promise.resolve() };
  }
  return { bytes, sha256, head, localPath: file.path, read: file.read, remove: file.remove };
}

function fromMemory(whole: Buffer): Spooled['read'] {
  return async (offset, into) => void whole.copy(into, 0, offset);
}

/** One read may give less than was asked for; what is uploaded must be what was received. */
async function fill(handle: FileHandle, into: Buffer, offset: number): Promise<void> {
  for (let filled = 0; filled < into.length; ) {
    const { bytesRead } = await handle.read(into, filled, into.length - filled, offset + filled);
    if (bytesRead === 0) throw new Error(`the file ends ${into.length - filled} bytes early`);
    filled += bytesRead;
  }
}

interface SpoolFile {
  path: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Before the first read. */
  flush(): Promise<void>;
  read: Spooled['read'];
  remove(): Promise<void>;
}

async function createFile(): Promise<SpoolFile> {
  const folder = tmpdir();
  const path = join(folder, `callsheet-upload-${randomBytes(12).toString('hex')}`);
  const onDisk = async <T>(operation: () => Promise<T>): Promise<T> => {
    try {
      return await operation();
    } catch (error) {
      throw toStoreError(error, 'write', '', folder);
    }
  };
  await removeLeftOvers(folder);
  const handle: FileHandle = await onDisk(() => open(path, 'wx+', 0o600));
  const disk = writeBehind(handle, 'passing');
  return {
    path,
    write: (chunk) => onDisk(() => disk.write(chunk)),
    flush: () => onDisk(() => disk.flush()),
    read: (offset, into) => onDisk(() => fill(handle, into, offset)),
    remove: async () => {
      await disk.settled();
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

async function removeLeftOvers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => NAME.test(one))) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts !== undefined && Date.now() - facts.mtimeMs > LEFT_OVER_MS) await rm(join(folder, name), { force: true });
  }
}
