import type { FileHandle } from 'node:fs/promises';

/** Writes a stream's pieces behind its back: the next ones arrive while the disk takes the last ones. */

export interface WriteBehind {
  /** Takes a piece; waits only while the disk is more than one batch behind. Throws what an earlier write threw. */
  write(chunk: Uint8Array): Promise<void>;
  /** Hands over the rest and waits until the file has it. */
  flush(): Promise<void>;
  /** Resolves when nothing touches the file any more, whatever became of it. */
  settled(): Promise<void>;
}

const BATCH_BYTES = 1 << 20;
/** How much may wait in the system's memory before the disk is put to work: the rest would wait at the last fsync. */
const SYNC_BYTES = 32 << 20;

/** `durable`: the disk is kept at work, for a file that is fsynced at its end. */
export function writeBehind(handle: FileHandle, use: 'durable' | 'passing'): WriteBehind {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let unsynced = 0;
  let isSyncing = false;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> = Promise.resolve();
  const handOver = async () => {
    await writing;
    unsynced += waitingBytes;
    if (use === 'durable' && unsynced >= SYNC_BYTES && !isSyncing) {
      isSyncing = true;
      // Chained: the system tells a disk error once, and a later fsync that succeeds must not hide it.
      syncing = syncing
        .then(() => handle.datasync())
        .finally(() => {
          isSyncing = false;
        });
      syncing.catch(() => undefined); // awaited at the end; until then it must not count as unhandled
      unsynced = 0;
    }
    writing = writeAll(handle, waiting, waitingBytes);
    writing.catch(() => undefined);
    waiting = [];
    waitingBytes = 0;
  };
  return {
    async write(chunk) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= BATCH_BYTES) await handOver();
    },
    async flush() {
      await handOver();
      await Promise.all([writing, syncing]);
    },
    async settled() {
      await Promise.allSettled([writing, syncing]);
    },
  };
}

/** One system call where the disk takes all; a disk that is nearly full takes a part. */
async function writeAll(handle: FileHandle, chunks: Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await handle.writev(chunks);
  if (bytesWritten < bytes) await handle.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}
