import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { toStoreError } from './folder-errors.js';
import { clearPassed, newPassingPath, passingFolder } from './passing.js';
import type { PendingFile } from './port.js';
import { writeBehind } from './write-behind.js';

/** A stream that is held on this machine until it is known to be whole and good: small in memory, else in a file. */
export interface Spooled extends PendingFile {
  /** Fills the buffer from there on. */
  read(offset: number, into: Buffer): Promise<void>;
  /** All of it, from the start. */
  open(): Readable;
  /** Frees what it takes. */
  remove(): Promise<void>;
}

/** Files up to this are uploaded in one request and never touch the disk. */
export const MEMORY_BYTES_MAX = 8 * 1024 * 1024;

const HEAD_BYTES = 1 << 18;
/** Much less, and the time goes into waking threads. */
const READ_BYTES = 1 << 20;

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
  if (file === undefined) return { bytes, sha256, head, ...fromMemory(head) };
  const { path: localPath, read, remove } = file;
  return { bytes, sha256, head, localPath, read, open: () => opened(bytes, read), remove };
}

function fromMemory(whole: Buffer): Pick<Spooled, 'read' | 'open' | 'remove'> {
  return {
    read: async (offset, into) => void whole.copy(into, 0, offset),
    open: () => Readable.from([whole]),
    remove: () => Promise.resolve(),
  };
}

/**
 * Buffers take turns: fresh ones for each piece make the engine collect garbage all the time. One is being sent, one waits
 * in the stream, one is filled; a sender that held a piece for longer would be found out by the sha256.
 */
function opened(bytes: number, read: Spooled['read']): Readable {
  const buffers = Array.from({ length: 3 }, () => Buffer.allocUnsafeSlow(Math.min(READ_BYTES, bytes)));
  const pieces = async function* () {
    for (let at = 0, n = 0; at < bytes; at += READ_BYTES, n += 1) {
      const piece = (buffers[n % buffers.length] as Buffer).subarray(0, bytes - at);
      await read(at, piece);
      yield piece;
    }
  };
  return Readable.from(pieces(), { highWaterMark: 1 });
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
  const folder = passingFolder();
  const path = newPassingPath('upload');
  const onDisk = async <T>(operation: () => Promise<T>): Promise<T> => {
    try {
      return await operation();
    } catch (error) {
      throw toStoreError(error, 'write', '', folder);
    }
  };
  await clearPassed();
  const handle: FileHandle = await onDisk(() => open(path, 'wx+', 0o600));
  const disk = writeBehind(handle, 'passing');
  const read = (offset: number, into: Buffer) => onDisk(() => fill(handle, into, offset));
  return {
    path,
    write: (chunk) => onDisk(() => disk.write(chunk)),
    flush: () => onDisk(() => disk.flush()),
    read,
    remove: async () => {
      await disk.settled();
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}
