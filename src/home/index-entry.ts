import { z } from 'zod';
import { needsPerson } from '../domain/needs-person.js';
import { LIVE_WORDS, type RowRecord, STATUSES } from '../domain/outcome.js';
import type { AccountRecords } from './account-records.js';
import { damagedRecord } from './damaged-row.js';
import { liveWordOf } from './live-word.js';
import { isOutdone, recordFor } from './row-letter.js';

/** What is kept of one row so that nobody has to look its record and its attempts up again. */

/** `[status, credits in nano or null, epoch ms, needs a person]` of a row that ended. */
const endSchema = z.tuple([z.enum(STATUSES), z.number().nullable(), z.number(), z.boolean()]);

export const entrySchema = z.object({
  index: z.int(),
  id: z.string(),
  hash: z.string(),
  isDamaged: z.exactOptional(z.literal(true)),
  /** It ended since its values changed, and starts with its new ones. */
  isReplaced: z.exactOptional(z.literal(true)),
  /** The stamp of its record, as it was read. */
  record: z.exactOptional(z.string()),
  /** The stamp of its attempts, `none` where it has none; absent where they change nothing of what stands here. */
  attempts: z.exactOptional(z.string()),
  end: z.exactOptional(endSchema),
  /** Absent with `end`, and where it was never tried. */
  live: z.exactOptional(z.enum(LIVE_WORDS)),
});
export type IndexEntry = z.output<typeof entrySchema>;

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
): Promise<IndexEntry> {
  const { index, id, hash } = entry;
  if (entry.isDamaged) return { ...entry, end: endOf(damagedRecord(id)) };
  const known = stamps.attempts ?? 'none';
  if (isDecided(entry, stamps.record) || (entry.record === stamps.record && entry.attempts === known)) return entry;
  const record = stamps.record === undefined ? undefined : await records.readRecord(batch, id);
  const isReplaced = record?.reasonCode === 'row_replaced' ? { isReplaced: true as const } : {};
  const read = { index, id, hash, ...isReplaced, ...(stamps.record === undefined ? {} : { record: stamps.record }) };
  // Nothing that the ledger learns changes a row that is done, or that ended untried.
  if (record !== undefined && !isOutdone(record, [])) return { ...read, end: endOf(recordFor(record, hash)) };
  const attempts = stamps.attempts === undefined ? [] : await ledger.read(batch, id);
  const watched = { ...read, attempts: known };
  if (record !== undefined && !isOutdone(record, attempts)) return { ...watched, end: endOf(recordFor(record, hash)) };
  return attempts.length === 0 ? watched : { ...watched, live: liveWordOf(attempts) };
}

function endOf(record: RowRecord): z.output<typeof endSchema> {
  return [record.status, record.creditsNano ?? null, record.finishedAtMs, needsPerson(record)];
}
