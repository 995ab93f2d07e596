import { createHash } from 'node:crypto';
import { type PutStreamOptions, type Store, type StoredFile, StoreError } from '../../src/store/port.js';
import { inHost } from '../engine/current.js';
import type { Disk } from './disk.js';

/** The store port over memory that every worker of a seed shares: it outlives them all. */

/** What a write meets: how long it takes, and whether it fails before or after it took effect. */
export interface WriteFate {
  delayMs: number;
  failure: 'none' | 'before' | 'after';
}

export interface StoreFaults {
  nextWrite(): WriteFate;
  /** How long a read takes; 0 = at once. */
  readDelayMs(key: string): number;
}

export function createMemoryStore(location: string, disk: Disk, faults: StoreFaults): Store {
  const writing = async <T>(effect: () => T): Promise<T> => {
    const fate = faults.nextWrite();
    return inHost(fate.delayMs, () => {
      if (fate.failure === 'before') throw new StoreError('EIO', 'the disk failed before the write');
      const result = effect();
      if (fate.failure === 'after') throw new StoreError('EIO', 'the disk failed after the write');
      return result;
    });
  };
  const reading = async <T>(key: string, effect: () => T): Promise<T> => {
    const delayMs = faults.readDelayMs(key);
    return delayMs > 0 ? inHost(delayMs, effect) : effect();
  };
  const addIfAbsent = (key: string, bytes: Uint8Array): boolean => {
    if (disk.get(key)) return false;
    disk.write(key, bytes);
    return true;
  };

  return {
    location,
    put: (key, bytes) => writing(() => disk.write(key, bytes)),
    putIfAbsent: (key, bytes) => writing(() => addIfAbsent(key, bytes)),
    async putAllIfAbsent(entries) {
      const added: boolean[] = [];
      // Each is a write of its own: a process can die between two of them.
      for (const { key, bytes } of entries) added.push(await writing(() => addIfAbsent(key, bytes)));
      return added;
    },
    get: (key) => reading(key, () => disk.get(key)),
    async read(key) {
      const bytes = disk.get(key);
      return bytes && oneChunk(bytes);
    },
    async *list(prefix) {
      for (const key of disk.below(prefix)) yield key;
    },
    names: (prefix) => reading(prefix, () => disk.names(prefix)),
    remove: (key) => writing(() => disk.remove(key)),
    removeAll: (prefix) =>
      writing(() => {
        for (const key of disk.below(prefix)) disk.remove(key);
      }),
    moveAll: (from, to) =>
      writing(() => {
        for (const key of disk.below(from)) {
          const bytes = disk.get(key);
          disk.remove(key);
          if (bytes) disk.write(`${to}${key.slice(from.length)}`, bytes);
        }
      }),
    putStream: (key, source, options) => putStream(disk, writing, key, source, options),
    async stat(key) {
      const bytes = disk.get(key);
      return bytes && factsOf(bytes);
    },
    size: async (key) => disk.get(key)?.length,
    url: () => Promise.resolve(undefined),
    freeBytes: async () => undefined,
    probe: async () => undefined,
  };
}

async function putStream(
  disk: Disk,
  writing: <T>(effect: () => T) => Promise<T>,
  key: string,
  source: AsyncIterable<Uint8Array>,
  { beforeCommit, ifExists, nextKey }: PutStreamOptions,
) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const facts = factsOf(bytes);
  await beforeCommit?.({ ...facts, head: bytes });
  return writing(() => {
    for (let n = 1, free = key; ; n += 1, free = nextKey?.(n) ?? key) {
      const there = disk.get(free);
      if (!there || ifExists === 'replace') {
        disk.write(free, bytes);
        return { ...facts, key: free, wasThere: false };
      }
      if (factsOf(there).sha256 === facts.sha256) return { ...facts, key: free, wasThere: true };
      if (!nextKey || n > 20) throw new StoreError('EEXIST', `'${key}' exists`, key);
    }
  });
}

function factsOf(bytes: Uint8Array): StoredFile {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
