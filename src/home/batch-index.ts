import { z } from 'zod';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import { StoreError } from '../store/port.js';
import type { AccountRecords } from './account-records.js';
import { shardOf } from './home-keys.js';
import { entriesSchema, type IndexEntry, type ShardSum, shardSumSchema } from './index-entry.js';
import { currentShard, type ShardPlace, shardKeys } from './index-shard.js';
import { rerunOrder } from './row-orders.js';

/**
 * What stands of every row of a large batch, without a walk over all of them at each question. It is gathered from the
 * records and the ledger, which alone say what is true: each part is believed only while the folders that it was
 * gathered from are as they were, and all of it can be thrown away and made again.
 */

/** A batch of fewer rows is looked through each time. */
const INDEXED_ROWS_MIN = 1_000;
const WRITE_WIDTH = 16;

const indexSchema = z.object({ schema: z.literal(3), rows: z.int(), shards: z.record(z.string(), shardSumSchema) });
type BatchIndex = z.output<typeof indexSchema>;

/**
 * The sums of a generation's rows by shard; undefined where it is not kept: a small batch, or a home in a bucket. Throws
 * once `signal` is aborted.
 */
export async function indexedSums(
  account: AccountRecords,
  batch: string,
  generation: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ShardSum> | undefined> {
  const { store, keys } = account.home;
  const facts = await account.rows.generation(batch, generation);
  const stamps = store.stamps?.bind(store);
  if (stamps === undefined || facts === undefined || facts.rows < INDEXED_ROWS_MIN) return undefined;
  const folder = keys.index(batch, generation);
  const kept = await readKept(account, `${folder}/sums.json`, indexSchema);
  const index: BatchIndex | undefined = kept?.rows === facts.rows ? kept : undefined;
  const rerun = await rerunOrder(account.home, batch, generation);
  const places = (names: readonly string[]) =>
    names.map((shard): ShardPlace => ({ account, batch, shard, rerun, stamps }));
  const changed = index === undefined ? undefined : await changedShards(places(Object.keys(index.shards)), index);
  if (index !== undefined && changed?.length === 0) return new Map(Object.entries(index.shards));
  const entries = await entriesOf(account, { batch, generation, folder }, changed);
  const shards = { ...index?.shards };
  await parallel(places([...entries.keys()]), WRITE_WIDTH, async (place) => {
    signal?.throwIfAborted();
    const { shard } = place;
    const current = await currentShard(place, entries.get(shard) ?? []);
    shards[shard] = current.sum;
    await keep(account, `${folder}/${shard}.json`, current.entries);
  });
  await keep(account, `${folder}/sums.json`, { schema: 3, rows: facts.rows, shards });
  return new Map(Object.entries(shards));
}

/** The entries of one shard as they were kept last. */
export function keptEntries(
  account: AccountRecords,
  batch: string,
  generation: string,
  shard: string,
): Promise<IndexEntry[] | undefined> {
  return readKept(account, `${account.home.keys.index(batch, generation)}/${shard}.json`, entriesSchema);
}

/** The shards of which something was written since, by the stamps of their folders and of the rows that may go on. */
async function changedShards(places: readonly ShardPlace[], { shards }: BatchIndex): Promise<ShardPlace[]> {
  const [first] = places;
  if (first === undefined) return [];
  const { keys } = first.account.home;
  const watched = places.map(({ shard }) => Object.keys(shards[shard]?.watched ?? {}));
  const asked = places.flatMap((place, i) => [
    ...shardKeys(place),
    ...(watched[i] ?? []).map((id) => keys.attempts(place.batch, id)),
  ]);
  const found = await first.stamps(asked);
  let next = 0;
  return places.filter(({ shard }, i) => {
    const sum = shards[shard];
    const known = [sum?.records, sum?.attempts, ...(watched[i] ?? []).map((id) => sum?.watched[id])];
    const isSame = known.every((stamp, k) => stamp === found[next + k]);
    next += known.length;
    return !isSame;
  });
}

interface IndexPlace {
  batch: string;
  generation: string;
  folder: string;
}

/** The kept entries of some shards; those of all, as if nothing was known of them, where one cannot be had. */
async function entriesOf(
  account: AccountRecords,
  place: IndexPlace,
  wanted: readonly ShardPlace[] | undefined,
): Promise<Map<string, IndexEntry[]>> {
  const kept = await parallel(wanted ?? [], WRITE_WIDTH, ({ shard }) =>
    readKept(account, `${place.folder}/${shard}.json`, entriesSchema),
  );
  if (wanted !== undefined && kept.every((entries) => entries !== undefined)) {
    return new Map(wanted.map(({ shard }, i) => [shard, kept[i] ?? []]));
  }
  const shards = new Map<string, IndexEntry[]>();
  const facts = await account.rows.generation(place.batch, place.generation);
  for (const part of facts?.parts.keys() ?? []) {
    for (const { row, isDamaged } of await account.rows.readPart(place.batch, place.generation, part)) {
      const { index, id, kind, hash } = row;
      const shard = shardOf(id);
      const entries = shards.get(shard) ?? [];
      shards.set(shard, entries);
      entries.push({ index, id, kind, hash, ...(isDamaged ? { isDamaged } : {}) });
    }
  }
  return shards;
}

/** Undefined for what is not there, or cannot be read or understood: it is gathered again. */
export async function readKept<T>({ home }: AccountRecords, key: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return await readJson(home.store, key, schema, forgotten);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

/** What cannot be kept, in a home that may only be read or on a full disk, is gathered again by the next question. */
export async function keep({ home }: AccountRecords, key: string, value: unknown): Promise<void> {
  try {
    await home.store.put(key, encodeJson(value));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}
