import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { defined } from '../domain/defined.js';
import type { Kind } from '../domain/kind.js';
import { fedMedia } from '../domain/row.js';
import { isKind } from '../kinds/facts.js';
import { decodeJson, encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { Store } from '../store/port.js';
import { timeSchema } from './attempt-schema.js';
import { createFeedsWriter } from './feeds.js';
import { type HomeKeys, homeKeys } from './home-keys.js';
import { type StoredRow, storedRowSchema } from './row-records.js';

/** Writes a manifest's rows to the home as one immutable generation, in constant memory. */

export const PART_ROWS_MAX = 1_000;
export const PART_BYTES_MAX = 4_000_000;
const GENERATION_DIGITS = 16;

/** What a whole generation holds. It is written last: while it is absent the generation does not exist. */
export const generationSchema = z.object({
  schema: z.literal(1),
  /** 16 hex digits of the sha256 over rows and columns: the same manifest is the same generation. */
  generation: z.string(),
  rows: z.int(),
  /** Rows of each part, in order; part `p` starts at the row index that is the sum of those before it. */
  parts: z.array(z.object({ rows: z.int() })),
  /** The manifest's columns in the user's order, with the `x-…` ones. */
  columns: z.array(z.string()),
  passthroughColumns: z.array(z.string()),
  /** Those of them without text; absent in a generation of an earlier build. They are no part of its name. */
  nativeColumns: z.exactOptional(z.array(z.string())),
  byKind: z.custom<Partial<Record<Kind, number>>>(
    (value) => typeof value === 'object' && value !== null && Object.keys(value).every(isKind),
  ),
  /** How many rows others feed; absent where none. */
  fed: z.exactOptional(z.int()),
  /** How many rows share the render of another; absent where none, and in a generation of an earlier build. */
  sharing: z.exactOptional(z.int()),
  createdAtMs: timeSchema,
});
export type GenerationFacts = z.output<typeof generationSchema>;

/**
 * Parts hold at most 1,000 rows and 4 MB (one larger row is a part of its own). They are written under a name of
 * their own first, since the generation's name is the hash of all of them.
 */
export function createRowsWriter(store: Store, account: string, batch: string) {
  const keys = homeKeys(account);
  const incoming = `incoming-${randomBytes(8).toString('hex')}`;
  const hash = createHash('sha256');
  const parts: { rows: number }[] = [];
  const byKind: Partial<Record<Kind, number>> = {};
  const feeds = createFeedsWriter(store);
  let rows = 0;
  let fed = 0;
  let sharing = 0;
  let lines: Buffer[] = [];
  let lineBytes = 0;

  const flush = async () => {
    if (lines.length === 0) return;
    const count = lines.length;
    const bytes = Buffer.concat(lines);
    lines = [];
    lineBytes = 0;
    hash.update(bytes);
    await store.put(keys.part(batch, incoming, parts.length), bytes);
    parts.push({ rows: count });
  };

  const abort = () => store.removeAll(keys.generation(batch, incoming));

  return {
    /** Rows in manifest order; `row.index` must count from 0. */
    add: async (stored: StoredRow): Promise<void> => {
      if (stored.row.index !== rows) throw new Error(`row ${stored.row.index} was written in the place of row ${rows}`);
      const line = Buffer.from(`${JSON.stringify(stored)}\n`);
      if (lines.length >= PART_ROWS_MAX || lineBytes + line.length > PART_BYTES_MAX) await flush();
      lines.push(line);
      lineBytes += line.length;
      byKind[stored.row.kind] = (byKind[stored.row.kind] ?? 0) + 1;
      const feeders = fedMedia(stored.row);
      for (const { at } of feeders) feeds.addFed(at, stored.row.index);
      if (feeders.length > 0) fed += 1;
      const { shares } = stored.row;
      if (shares !== undefined) {
        feeds.addSharing(shares, stored.row.index);
        sharing += 1;
      }
      rows++;
    },
    /** Makes the generation visible under its content's name. The same content twice gives the first one's facts. */
    finish: async (
      meta: Pick<GenerationFacts, 'columns' | 'passthroughColumns' | 'nativeColumns' | 'createdAtMs'>,
    ): Promise<GenerationFacts> => {
      await flush();
      hash.update(JSON.stringify([meta.columns, meta.passthroughColumns]));
      const generation = hash.digest('hex').slice(0, GENERATION_DIGITS);
      await feeds.write(parts, (part) => keys.feeds(batch, incoming, part));
      const factsKey = keys.generationFacts(batch, generation);
      // What is there already is the same, unless a disk has damaged it: then this mends it.
      await store.moveAll(keys.generation(batch, incoming), keys.generation(batch, generation));
      const facts: GenerationFacts = {
        schema: 1,
        generation,
        rows,
        parts,
        byKind,
        ...(fed > 0 ? { fed } : {}),
        ...(sharing > 0 ? { sharing } : {}),
        ...meta,
      };
      if (await store.putIfAbsent(factsKey, encodeJson(facts))) return facts;
      const known = await readJson(store, factsKey, generationSchema, forgotten);
      const { nativeColumns } = meta;
      // `5` and `"5"` are the same text, and so the same name: which of them stands there now, the manifest says.
      const isOther = known?.nativeColumns !== undefined && !isDeepStrictEqual(known.nativeColumns, nativeColumns);
      if (known !== undefined && !isOther) return known;
      const told = { ...facts, ...known, ...defined({ nativeColumns }) };
      await store.put(factsKey, encodeJson(told));
      return told;
    },
    /** Leaves nothing behind. */
    abort,
  };
}

const PART_NAME = /^\d{6}\.jsonl$/;

/** Everything that a generation's facts say stands in its rows, but for the time and which columns hold no text. */
export async function rebuildGeneration(
  store: Store,
  keys: HomeKeys,
  batch: string,
  generation: string,
): Promise<GenerationFacts | undefined> {
  const names = (await store.names(keys.generation(batch, generation))).filter((name) => PART_NAME.test(name));
  const parts: { rows: number }[] = [];
  const columns = new Set<string>();
  const byKind: Partial<Record<Kind, number>> = {};
  let fed = 0;
  let sharing = 0;
  for (const name of names) {
    const bytes = await store.get(`${keys.generation(batch, generation)}/${name}`);
    const lines = Buffer.from(bytes ?? [])
      .toString()
      .split('\n')
      .slice(0, -1);
    parts.push({ rows: lines.length });
    for (const line of lines) {
      const stored = decodeJson(storedRowSchema, Buffer.from(line));
      if (stored === undefined) continue;
      for (const column of Object.keys(stored.raw)) columns.add(column);
      byKind[stored.row.kind] = (byKind[stored.row.kind] ?? 0) + 1;
      if (fedMedia(stored.row).length > 0) fed += 1;
      if (stored.row.shares !== undefined) sharing += 1;
    }
  }
  if (parts.length === 0) return undefined;
  const passthroughColumns = [...columns].filter((column) => column.startsWith('x-'));
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const waiting = { ...(fed > 0 ? { fed } : {}), ...(sharing > 0 ? { sharing } : {}) };
  return {
    schema: 1,
    generation,
    rows,
    parts,
    columns: [...columns],
    passthroughColumns,
    byKind,
    ...waiting,
    createdAtMs: 0,
  };
}
