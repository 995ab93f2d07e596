import { z } from 'zod';
import { homeKeys } from './home-keys.js';
import { decodeJson, encodeJson, readJson } from './json-file.js';
import { parallel } from './parallel.js';
import { type Store, StoreError } from './port.js';
import { type StoredRow, storedRowSchema } from './row-schema.js';
import { type GenerationFacts, generationSchema } from './rows-writer.js';

/** Reads the rows that `run` wrote to the home, a part at a time. */

export interface Rows {
  /** What a generation holds, undefined while it is not complete. */
  generation(batch: string, generation: string): Promise<GenerationFacts | undefined>;
  /** The batch's other complete generations, the newest first. */
  generationsBeside(batch: string, generation: string): Promise<string[]>;
  /** The rows of one part, in order. The last few parts are kept in memory: do not change what you get. */
  readPart(batch: string, generation: string, part: number): Promise<readonly StoredRow[]>;
  /** One row by its part and its index in the generation (`row.index`). */
  readRow(batch: string, generation: string, part: number, index: number): Promise<StoredRow>;
  /** The generation that the batch runs now. */
  currentGeneration(batch: string): Promise<string | undefined>;
  /** Points the batch to a complete generation. */
  setCurrentGeneration(batch: string, generation: string): Promise<void>;
}

const GENERATION_NAME = /^[0-9a-f]{16}$/;
const READ_WIDTH = 16;
const CACHE_PARTS_MAX = 8;
const CACHE_BYTES_MAX = 16_000_000;

const currentSchema = z.object({ schema: z.literal(1), generation: z.string() });

interface Cached {
  rows: Promise<readonly StoredRow[]>;
  bytes: number;
}

export function createRows(store: Store, account: string): Rows {
  const keys = homeKeys(account);
  /** By key, the least recently used first. Parts never change, so nothing has to be thrown away for age. */
  const cache = new Map<string, Cached>();

  const readPart = async (batch: string, generation: string, part: number): Promise<readonly StoredRow[]> => {
    const key = keys.part(batch, generation, part);
    const entry = cache.get(key) ?? { rows: load(key), bytes: 0 };
    cache.delete(key);
    cache.set(key, entry);
    return await entry.rows;
  };

  const load = async (key: string): Promise<readonly StoredRow[]> => {
    try {
      const bytes = await store.get(key);
      if (bytes === undefined) throw new StoreError('ENOENT', `the rows '${key}' are not in ${store.location}`, key);
      const rows = parsePart(bytes, key, store.location);
      const entry = cache.get(key);
      if (entry !== undefined) entry.bytes = bytes.length;
      trim();
      return rows;
    } catch (error) {
      cache.delete(key);
      throw error;
    }
  };

  const trim = () => {
    let bytes = [...cache.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of cache) {
      if (cache.size <= 1 || (cache.size <= CACHE_PARTS_MAX && bytes <= CACHE_BYTES_MAX)) return;
      cache.delete(key);
      bytes -= entry.bytes;
    }
  };

  const factsOf = (batch: string, generation: string): Promise<GenerationFacts | undefined> =>
    readJson(store, keys.generationFacts(batch, generation), generationSchema);

  return {
    generation: factsOf,
    generationsBeside: async (batch, generation) => {
      const names = (await store.names(keys.generations(batch))).filter((name) => GENERATION_NAME.test(name));
      const others = await parallel(
        names.filter((name) => name !== generation),
        READ_WIDTH,
        (name) => factsOf(batch, name),
      );
      const complete = others.filter((facts) => facts !== undefined);
      return complete.sort((a, b) => b.createdAtMs - a.createdAtMs).map((facts) => facts.generation);
    },
    readPart,
    readRow: async (batch, generation, part, index) => {
      const rows = await readPart(batch, generation, part);
      const stored = rows[index - (rows[0]?.row.index ?? 0)];
      if (stored?.row.index === index) return stored;
      const key = keys.part(batch, generation, part);
      throw new StoreError('ENOENT', `row ${index} is not in '${key}' in ${store.location}`, key);
    },
    currentGeneration: async (batch) =>
      (await readJson(store, keys.currentGeneration(batch), currentSchema))?.generation,
    setCurrentGeneration: async (batch, generation) => {
      await store.put(keys.currentGeneration(batch), encodeJson({ schema: 1, generation }));
    },
  };
}

function parsePart(bytes: Uint8Array, key: string, location: string): readonly StoredRow[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows: StoredRow[] = [];
  for (let start = 0; start < buffer.length; ) {
    const end = buffer.indexOf(10, start);
    const stored = end < 0 ? undefined : decodeJson(storedRowSchema, buffer.subarray(start, end));
    if (stored === undefined) {
      throw new StoreError('DAMAGED', `'${key}' in ${location} is damaged at row ${rows.length} of the part`, key);
    }
    rows.push(stored);
    start = end + 1;
  }
  return rows;
}
