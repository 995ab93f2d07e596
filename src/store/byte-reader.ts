import { open } from 'node:fs/promises';
import type { PendingFile } from './port.js';

/** Reads pieces of a file that is not visible yet: from its head, or from the disk where the store has one. */

export interface ByteReader {
  bytes: number;
  /** Up to `length` bytes from `offset`; fewer at the end; undefined where the bytes cannot be reached. */
  read(offset: number, length: number): Promise<Buffer | undefined>;
}

/** Opens the file for the time of `use`. */
export async function withByteReader<T>(file: PendingFile, use: (reader: ByteReader) => Promise<T>): Promise<T> {
  const head = Buffer.from(file.head.buffer, file.head.byteOffset, file.head.byteLength);
  const handle =
    file.localPath === undefined || head.length >= file.bytes ? undefined : await open(file.localPath, 'r');
  try {
    return await use({
      bytes: file.bytes,
      read: async (offset, length) => {
        const end = Math.min(offset + length, file.bytes);
        if (end <= head.length) return head.subarray(Math.min(offset, end), end);
        if (handle === undefined) return undefined;
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, end - offset)), 0, null, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await handle?.close();
  }
}
