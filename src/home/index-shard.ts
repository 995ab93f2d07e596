import { defined } from '../domain/defined.js';
import { parallel } from '../store/parallel.js';
import type { AccountRecords } from './account-records.js';
import { endOf, type IndexEntry, type ShardSum, sumOf } from './index-entry.js';
import { isRerun, type RerunOrder } from './row-orders.js';
import { damagedRecord } from './row-records.js';
import { isOrderedAnew, isOutdone, liveWordOf, recordFor, standsFor } from './row-standing.js';

/** The rows of one shard of a home (by their ids), and what they come to. */

const READ_WIDTH = 32;

export interface ShardPlace {
  account: AccountRecords;
  batch: string;
  shard: string;
  /** Changed rows that a person ordered to be paid again. */
  rerun: RerunOrder;
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
  const { account, batch, stamps, rerun } = place;
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
    currentEntry(
      account,
      batch,
      entries[i] as IndexEntry,
      { record: recordStamps[i], attempts: attemptStamps[i] },
      isRerun(rerun, (entries[i] as IndexEntry).id),
    ),
  );
  return { entries: current, sum: { ...defined({ records, attempts }), ...sumOf(current) } };
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

/** The stamps of a row's record and of its attempts as they are now; undefined where it has none. */
export interface RowStamps {
  record: string | undefined;
  attempts: string | undefined;
}

/** True for a row that ended so that its attempts tell nothing more, while its record is the one that was read. */
export function isDecided(entry: IndexEntry, record: string | undefined): boolean {
  return entry.end !== undefined && entry.attempts === undefined && entry.record === record;
}

/** What stands of a row, as the lines of its results say it; the entry itself where nothing changed since. */
export async function currentEntry(
  { records, ledger }: AccountRecords,
  batch: string,
  entry: IndexEntry,
  stamps: RowStamps,
  mayRerun: boolean,
): Promise<IndexEntry> {
  const { index, id, kind, hash } = entry;
  if (entry.isDamaged) return { ...entry, end: endOf(damagedRecord(id)) };
  const known = stamps.attempts ?? 'none';
  if (isDecided(entry, stamps.record) || (entry.record === stamps.record && entry.attempts === known)) return entry;
  const record = stamps.record === undefined ? undefined : await records.readRecord(batch, id);
  const isReplaced = record?.reasonCode === 'row_replaced' ? { isReplaced: true as const } : {};
  const isReused = record?.reusedFrom === undefined ? {} : { isReused: true as const };
  const read = { index, id, kind, hash, ...isReplaced, ...isReused, ...defined({ record: stamps.record }) };
  const content = { hash, mayRerun };
  if (record !== undefined && isOrderedAnew(record, content)) {
    const made = await ledger.read(batch, id);
    const own = made.filter((attempt) => standsFor(attempt, content));
    const open = { ...read, isReplaced: true as const, attempts: known, ...defined({ spent: record.creditsNano }) };
    return own.length === 0 ? open : { ...open, live: liveWordOf(own) };
  }
  // Nothing that the ledger learns changes a row that is done, or that ended untried.
  if (record !== undefined && !isOutdone(record, [])) return { ...read, end: endOf(recordFor(record, hash)) };
  const attempts = stamps.attempts === undefined ? [] : await ledger.read(batch, id);
  const watched = { ...read, attempts: known };
  if (record !== undefined && !isOutdone(record, attempts)) return { ...watched, end: endOf(recordFor(record, hash)) };
  const open = { ...watched, ...defined({ spent: record?.creditsNano }) };
  return attempts.length === 0 ? open : { ...open, live: liveWordOf(attempts) };
}
