import type { RowRecord } from '../domain/outcome.js';
import { encodeAs, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { damagedRecord } from './damaged-row.js';
import { homeKeys } from './home-keys.js';
import { rowRecordSchema } from './row-schema.js';

/** How each row ended: one small file a row, from which results.csv, results.jsonl and failed.csv are made. */

export interface Records {
  /** Writes or replaces a row's record, whole. */
  writeRecord(batch: string, record: RowRecord): Promise<void>;
  /** Takes back the record of a row that was skipped: it was never tried, and runs now. */
  forgetSkipped(batch: string, id: string): Promise<void>;
  /** The record, or undefined while the row has not ended. */
  readRecord(batch: string, id: string): Promise<RowRecord | undefined>;
  /** The records of many rows (a part at a time), in the order of the ids. */
  readRecords(batch: string, ids: readonly string[]): Promise<(RowRecord | undefined)[]>;
}

const READ_WIDTH = 16;

export function createRecords(store: Store, account: string): Records {
  const keys = homeKeys(account);
  const read = (batch: string, id: string) =>
    readJson(store, keys.record(batch, id), rowRecordSchema, () => damagedRecord(id));
  return {
    writeRecord: (batch, record) => store.put(keys.record(batch, record.id), encodeAs(rowRecordSchema, record)),
    forgetSkipped: async (batch, id) => {
      if ((await read(batch, id))?.status === 'skipped') await store.remove(keys.record(batch, id));
    },
    readRecord: read,
    readRecords: (batch, ids) => parallel(ids, READ_WIDTH, (id) => read(batch, id)),
  };
}
