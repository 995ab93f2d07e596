import { z } from 'zod';
import { noCounts, type Status } from '../domain/outcome.js';
import { parallel } from '../store/parallel.js';
import type { AccountRecords } from './account-records.js';
import { currentEntry, entrySchema, type IndexEntry, isDecided } from './index-entry.js';

/** The rows of one shard of a home (by their ids), and what they come to. */

const READ_WIDTH = 32;

export const entriesSchema = z.array(entrySchema);

export const shardSumSchema = z.object({
  /** Of the folders of its records and of its attempts. */
  records: z.exactOptional(z.string()),
  attempts: z.exactOptional(z.string()),
  /** Ids whose attempts may change what stands of them, with their stamps. */
  watched: z.record(z.string(), z.string()),
  counts: z.record(z.string(), z.int()),
  live: z.record(z.string(), z.int()),
  /** Rows without a record that were never tried. */
  untried: z.int(),
  creditsNano: z.number(),
  creditsUnknown: z.int(),
  forPerson: z.int(),
  /** When each row ended, epoch ms. */
  endedAtMs: z.array(z.number()),
});
export type ShardSum = z.output<typeof shardSumSchema>;

export interface ShardPlace {
  account: AccountRecords;
  batch: string;
  shard: string;
  stamps(keys: readonly string[]): Promise<(string | undefined)[]>;
}

/** The folders by which a shard is known to be as it was. */
export function shardKeys({
  account: { home },
  batch,
  shard,
}: Pick<ShardPlace, 'account' | 'batch' | 'shard'>): [string, string] {
  return [`${home.keys.recordsOf(batch)}/${shard}`, `${home.keys.attemptsOf(batch)}/${shard}`];
}

/** Brings the entries of a shard up to now, reading only what changed. */
export async function currentShard(
  place: ShardPlace,
  entries: readonly IndexEntry[],
): Promise<{ entries: IndexEntry[]; sum: ShardSum }> {
  const { account, batch, stamps } = place;
  const { store, keys } = account.home;
  const folders = shardKeys(place);
  // Before the names are read: what comes meanwhile makes the shard look changed, never unchanged.
  const [records, attempts] = await stamps(folders);
  const recorded = new Set(await store.names(folders[0]));
  const tried = new Set(await store.names(folders[1]));
  const recordStamps = await stampsOf(stamps, entries, ({ id }) =>
    recorded.has(`${id}.json`) ? keys.record(batch, id) : undefined,
  );
  const attemptStamps = await stampsOf(stamps, entries, (entry, i) =>
    tried.has(entry.id) && !isDecided(entry, recordStamps[i]) ? keys.attempts(batch, entry.id) : undefined,
  );
  const current = await parallel([...entries.keys()], READ_WIDTH, (i) =>
    currentEntry(account, batch, entries[i] as IndexEntry, { record: recordStamps[i], attempts: attemptStamps[i] }),
  );
  const folderStamps = {
    ...(records === undefined ? {} : { records }),
    ...(attempts === undefined ? {} : { attempts }),
  };
  return { entries: current, sum: { ...folderStamps, ...sumOf(current) } };
}

/** The stamp of each entry's key, undefined where it has none to look at. */
async function stampsOf(
  stamps: ShardPlace['stamps'],
  entries: readonly IndexEntry[],
  keyOf: (entry: IndexEntry, i: number) => string | undefined,
): Promise<(string | undefined)[]> {
  const keys = entries.map(keyOf);
  const found = await stamps(keys.filter((key) => key !== undefined));
  let next = 0;
  return keys.map((key) => (key === undefined ? undefined : found[next++]));
}

function sumOf(entries: readonly IndexEntry[]): Omit<ShardSum, 'records' | 'attempts'> {
  const counts: Record<Status, number> = noCounts();
  const sum: Omit<ShardSum, 'records' | 'attempts'> = {
    ...{ watched: {}, counts, live: {}, untried: 0, creditsNano: 0, creditsUnknown: 0, forPerson: 0, endedAtMs: [] },
  };
  for (const { id, attempts, end, live } of entries) {
    if (attempts !== undefined && attempts !== 'none') sum.watched[id] = attempts;
    if (end !== undefined) {
      const [status, creditsNano, atMs, isForPerson] = end;
      counts[status] += 1;
      if (creditsNano === null) sum.creditsUnknown += 1;
      else sum.creditsNano += creditsNano;
      if (isForPerson) sum.forPerson += 1;
      sum.endedAtMs.push(atMs);
    } else if (live !== undefined) sum.live[live] = (sum.live[live] ?? 0) + 1;
    else sum.untried += 1;
  }
  return sum;
}
