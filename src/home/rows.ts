import { z } from 'zod';
import { decodeJson, encodeJson, forgotten, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import { type Store, StoreError } from '../store/port.js';
import { homeKeys } from './home-keys.js';
import { damagedRow, type StoredRow, storedRowSchema } from './row-records.js';
import { type GenerationFacts, generationSchema, rebuildGeneration } from './rows-writer.js';

/** Reads the rows that `run` wrote to the home, a part at a time. */
export type Rows = ReturnType<typeof createRows>;

const GENERATION_NAME = /^[0-9a-f]{16}$/;
const READ_WIDTH = 16;
const CACHE_PARTS_MAX = 8;
const CACHE_BYTES_MAX = 16_000_000;

export const currentSchema = z.object({ schema: z.literal(1), generation: z.string() });

interface PartPlace {
  batch: string;
  generation: string;
  part: number;
}

interface Cached {
  rows: Promise<readonly StoredRow[]>;
  bytes: number;
}

export function createRows(store: Store, account: string) {
  const keys = homeKeys(account);
  /** By key, the least recently used first. Parts never change, so nothing has to be thrown away for age. */
  const cache = new Map<string, Cached>();

  const readPart = async (batch: string, generation: string, part: number): Promise<readonly StoredRow[]> => {
    const key = keys.part(batch, generation, part);
    const entry = cache.get(key) ?? { rows: load(key, { batch, generation, part }), bytes: 0 };
    cache.delete(key);
    cache.set(key, entry);
    return await entry.rows;
  };

  const load = async (key: string, place: PartPlace): Promise<readonly StoredRow[]> => {
    try {
      const bytes = (await store.get(key)) ?? ((await isLost(place)) ? new Uint8Array() : undefined);
      if (bytes === undefined) throw new StoreError('ENOENT', `the rows '${key}' are not in ${store.location}`, key);
      const rows = await parsePart(bytes, place);
      const entry = cache.get(key);
      // The next `run` mends it.
      if (rows.some(({ isDamaged }) => isDamaged)) cache.delete(key);
      if (entry !== undefined) entry.bytes = bytes.length;
      trim();
      return rows;
    } catch (error) {
      cache.delete(key);
      throw error;
    }
  };

  /**
   * It was there, and its folder still is: damaged as one that was emptied, so that the next `run` mends it. A home that is
   * away has no facts either, and a bucket may only be late with its answer.
   */
  const isLost = async ({ batch, generation, part }: PartPlace): Promise<boolean> =>
    store.stamps !== undefined && (await factsOf(batch, generation))?.parts[part] !== undefined;

  const trim = () => {
    let bytes = [...cache.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of cache) {
      if (cache.size <= 1 || (cache.size <= CACHE_PARTS_MAX && bytes <= CACHE_BYTES_MAX)) return;
      cache.delete(key);
      bytes -= entry.bytes;
    }
  };

  const factsOf = (batch: string, generation: string): Promise<GenerationFacts | undefined> =>
    readJson(store, keys.generationFacts(batch, generation), generationSchema, () =>
      rebuildGeneration(store, keys, batch, generation),
    );

  const pointer = async (batch: string): Promise<string | undefined> =>
    (await readJson(store, keys.currentGeneration(batch), currentSchema, forgotten))?.generation;

  const generationsBeside = async (batch: string, generation: string): Promise<string[]> => {
    const names = (await store.names(keys.generations(batch))).filter((name) => GENERATION_NAME.test(name));
    const others = await parallel(
      names.filter((name) => name !== generation),
      READ_WIDTH,
      (name) => factsOf(batch, name),
    );
    const complete = others.filter((facts) => facts !== undefined);
    return complete.sort((a, b) => b.createdAtMs - a.createdAtMs).map((facts) => facts.generation);
  };

  /** Lines that cannot be read, or are cut off, leave every other row its place. */
  const parsePart = async (bytes: Uint8Array, { batch, generation, part }: PartPlace): Promise<StoredRow[]> => {
    const parts = (await factsOf(batch, generation))?.parts ?? [];
    const first = parts.slice(0, part).reduce((sum, { rows }) => sum + rows, 0);
    const found = parseLines(bytes);
    const count = parts[part]?.rows ?? found.length;
    return Array.from({ length: count }, (_, i) => found[i] ?? damagedRow(first + i));
  };

  return {
    /** What a generation holds, undefined while it is not complete. */
    generation: factsOf,
    /** The batch's other complete generations, the newest first. */
    generationsBeside,
    /** The rows of one part, in order. The last few parts are kept in memory: do not change what you get. */
    readPart,
    /** One row by its part and its index in the generation (`row.index`). */
    readRow: async (batch: string, generation: string, part: number, index: number): Promise<StoredRow> => {
      const rows = await readPart(batch, generation, part);
      const stored = rows[index - (rows[0]?.row.index ?? 0)];
      const key = keys.part(batch, generation, part);
      if (stored?.isDamaged) throw new StoreError('DAMAGED', `row ${index} in '${key}' cannot be read`, key);
      if (stored?.row.index === index) return stored;
      throw new StoreError('ENOENT', `row ${index} is not in '${key}' in ${store.location}`, key);
    },
    /** The generation that the batch runs now; the newest one where the pointer to it cannot be read. */
    currentGeneration: async (batch: string): Promise<string | undefined> => {
      const pointed = await pointer(batch);
      if (pointed !== undefined || (await store.size(keys.currentGeneration(batch))) === undefined) return pointed;
      return (await generationsBeside(batch, ''))[0];
    },
    /** The same, undefined where the pointer cannot be read: the newest one may never have been approved. */
    certainGeneration: pointer,
    /** Points the batch to a complete generation. */
    setCurrentGeneration: async (batch: string, generation: string): Promise<void> => {
      await store.put(keys.currentGeneration(batch), encodeJson({ schema: 1, generation }));
    },
  };
}

/** The rows by line; undefined where a line cannot be read. */
function parseLines(bytes: Uint8Array): (StoredRow | undefined)[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows: (StoredRow | undefined)[] = [];
  for (let start = 0; start < buffer.length; ) {
    const end = buffer.indexOf(10, start);
    rows.push(end < 0 ? undefined : decodeJson(storedRowSchema, buffer.subarray(start, end)));
    start = end < 0 ? buffer.length : end + 1;
  }
  return rows;
}

/** Where a row lies in its generation, and what stands there. */
export interface PlacedRow {
  part: number;
  stored: StoredRow;
}

/** A row by its index alone; undefined where the generation has no such row. */
export async function rowAt(
  rows: Rows,
  batch: string,
  generation: string,
  index: number,
): Promise<PlacedRow | undefined> {
  const part = partOf((await rows.generation(batch, generation))?.parts ?? [], index);
  if (part === undefined) return undefined;
  return { part, stored: await rows.readRow(batch, generation, part, index) };
}

function partOf(parts: readonly { rows: number }[], index: number): number | undefined {
  let before = 0;
  for (const [part, { rows }] of parts.entries()) {
    if (index < before + rows) return part;
    before += rows;
  }
  return undefined;
}
