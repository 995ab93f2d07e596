import { z } from 'zod';
import { REASONS, type ReasonCode } from '../domain/failure.js';
import { FLAGS, type OutputFile, type PastRender, type RowRecord, STATUSES } from '../domain/outcome.js';
import type { Row } from '../domain/row.js';
import { KINDS } from '../kinds/facts.js';
import { encodeAs, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { fedInputSchema, jsonObjectSchema, jsonSchema, kindSchema, nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { homeKeys, shardOf } from './home-keys.js';
import { type Change, changeInTurn } from './in-turn.js';

/** What rows and their results look like on disk, checked when they are read. */

/** A row with the user's own cells, which failed.csv gives back as they were. */
export interface StoredRow {
  row: Row;
  /** The manifest's cells by column. */
  raw: Record<string, string>;
  /** Stands in for a line that cannot be read; never written. */
  isDamaged?: true;
}

const text = z.string();
const optionalText = z.exactOptional(text);
const optionalNumber = z.exactOptional(z.number());
const optionalTime = z.exactOptional(timeSchema);

const reasonSchema = z.enum(Object.keys(REASONS) as ReasonCode[]);

const mediaSchema = z.discriminatedUnion('source', [
  z.object({ source: z.literal('url'), url: text }),
  z.object({ source: z.literal('blob'), sha256: text, mediaType: text, bytes: z.int(), seconds: optionalNumber }),
  z.object({ source: z.literal('row'), id: text, at: z.int(), frame: z.exactOptional(z.enum(['first', 'last'])) }),
]);

const rowSchema = z.object({
  index: z.int(),
  line: z.int(),
  id: text,
  kind: kindSchema,
  group: optionalText,
  stem: text,
  cells: jsonObjectSchema,
  media: z.record(text, z.array(mediaSchema)),
  extra: z.exactOptional(jsonObjectSchema),
  passthrough: z.exactOptional(z.record(text, text)),
  shares: z.exactOptional(z.int()),
  hash: text,
}) satisfies z.ZodType<Row>;

export const storedRowSchema: z.ZodType<StoredRow> = z.object({ row: rowSchema, raw: z.record(text, text) });

const outputFileSchema = z.object({
  file: text,
  contentType: text,
  bytes: z.int(),
  sha256: text,
  width: optionalNumber,
  height: optionalNumber,
  durationSeconds: optionalNumber,
  frames: optionalNumber,
  frameRate: optionalNumber,
  etag: optionalText,
  version: optionalText,
}) satisfies z.ZodType<OutputFile>;

const pastRenderSchema = z.object({
  files: z.array(outputFileSchema),
  warnings: z.array(text),
  seed: optionalNumber,
  revisedPrompt: optionalText,
  inputs: z.exactOptional(z.array(fedInputSchema)),
  creditsNano: z.exactOptional(nanoSchema),
  submittedAtMs: optionalTime,
  finishedAtMs: timeSchema,
  rowHash: text,
}) satisfies z.ZodType<PastRender>;

export const rowRecordSchema: z.ZodType<RowRecord> = z.object({
  schema: z.literal(1),
  id: text,
  kind: kindSchema,
  status: z.enum(STATUSES),
  reasonCode: z.exactOptional(reasonSchema),
  reason: optionalText,
  flags: z.array(z.enum(FLAGS)),
  warnings: z.array(text),
  attempts: z.int(),
  files: z.array(outputFileSchema),
  seed: optionalNumber,
  revisedPrompt: optionalText,
  usage: z.exactOptional(jsonSchema),
  creditsNano: z.exactOptional(nanoSchema),
  creditsBasis: z.enum(['measured', 'price-book', 'unknown']),
  handle: optionalText,
  settledTogether: optionalText,
  submittedAtMs: optionalTime,
  renderedAtMs: optionalTime,
  finishedAtMs: timeSchema,
  endedUnder: optionalText,
  rerunAtMs: optionalTime,
  rerunWith: z.exactOptional(z.array(text)),
  rerunFailedFor: z.exactOptional(reasonSchema),
  hasEarlierFiles: z.exactOptional(z.literal(true)),
  reusedFrom: optionalText,
  reusedSubmittedAtMs: optionalTime,
  inputs: z.exactOptional(z.array(fedInputSchema)),
  rowHash: text,
  keptFor: optionalText,
  pastRenders: z.exactOptional(z.array(pastRenderSchema)),
  seenStates: z.exactOptional(z.int()),
});

/** How each row ended: one small file a row, from which results.csv, results.jsonl and failed.csv are made. */
export type Records = ReturnType<typeof createRecords>;

const READ_WIDTH = 16;

export function createRecords(store: Store, account: string) {
  const keys = homeKeys(account);
  const read = (batch: string, id: string) =>
    readJson(store, keys.record(batch, id), rowRecordSchema, () => damagedRecord(id));
  const write = (batch: string, record: RowRecord): Promise<void> =>
    store.put(keys.record(batch, record.id), encodeAs(rowRecordSchema, record));
  return {
    /** Writes or replaces a row's record, whole, whatever it was: for who alone can write it, or read none. */
    writeRecord: write,
    /** Writes the first record of a row; false where it has one by now. */
    addRecord: (batch: string, record: RowRecord): Promise<boolean> =>
      store.putIfAbsent(keys.record(batch, record.id), encodeAs(rowRecordSchema, record)),
    /** Changes a row's record as it stands: what others say of the row at the same time stays. As `changeInTurn`. */
    changeRecord: (batch: string, id: string, next: Change<RowRecord>['next']): Promise<RowRecord | undefined> =>
      changeInTurn({ store, keys }, keys.record(batch, id), {
        read: () => read(batch, id),
        next,
        write: (record) => write(batch, record),
      }),
    /** Takes back the record of a row that was skipped: it was never tried, and runs now. */
    forgetSkipped: async (batch: string, id: string): Promise<void> => {
      if ((await read(batch, id))?.status === 'skipped') await store.remove(keys.record(batch, id));
    },
    /** The record, or undefined while the row has not ended. */
    readRecord: read,
    /** The records of many rows (a part at a time), in the order of the ids. */
    readRecords: (batch: string, ids: readonly string[]): Promise<(RowRecord | undefined)[]> =>
      parallel(ids, READ_WIDTH, (id) => read(batch, id)),
  };
}

/** What stands in for the documents of a row that cannot be read: the row needs a person and nothing is sent for it. */

/** The record of a row whose own record cannot be read. It may have been paid. */
export function damagedRecord(id: string): RowRecord {
  return {
    schema: 1,
    id,
    kind: KINDS[0],
    status: 'review',
    reasonCode: 'record_damaged',
    reason: 'the record of this row in the home cannot be read',
    flags: [],
    warnings: [],
    attempts: 1,
    files: [],
    creditsBasis: 'unknown',
    finishedAtMs: 0,
    rowHash: '',
  };
}

/** A row of a manifest whose line in the home cannot be read: not even its id is known. */
export function damagedRow(index: number): StoredRow {
  const id = `damaged-row-${index}`;
  const row = { index, line: 0, id, kind: KINDS[0], stem: id, cells: {}, media: {}, hash: '' };
  return { row, raw: {}, isDamaged: true };
}

/** Which rows of a batch were ever tried or have ended, by listings: a row that was never touched costs no request. */
export type TouchedRows = ReturnType<typeof touchedRows>;

/** As the home is at the time of the first question about a row's shard. */
export function touchedRows({ store, keys }: Pick<Home, 'store' | 'keys'>, batch: string) {
  const listed = (prefix: string) => {
    const shards = new Map<string, Promise<ReadonlySet<string>>>();
    return (id: string): Promise<ReadonlySet<string>> => {
      const shard = shardOf(id);
      const names = shards.get(shard) ?? store.names(`${prefix}/${shard}`).then((found) => new Set(found));
      shards.set(shard, names);
      return names;
    };
  };
  const records = listed(keys.recordsOf(batch));
  const attempts = listed(keys.attemptsOf(batch));
  return {
    hasRecord: async (id: string): Promise<boolean> => (await records(id)).has(`${id}.json`),
    wasTried: async (id: string): Promise<boolean> => (await attempts(id)).has(id),
  };
}
