import type { RowRef } from '../contract/workflows.js';
import type { BatchOptions } from '../domain/batch.js';
import type { Row } from '../domain/row.js';
import type { Adapter } from '../kinds/adapter.js';
import { adapterFor } from '../kinds/index.js';
import type { AccountRecords } from './account-records.js';
import { readBatchOptions } from './batch-order.js';
import { type Feeder, fedRow, feedersOf } from './feeders.js';
import { readFrame } from './feeds.js';
import type { Home } from './home.js';

/** A row with all that an activity needs to carry it on. */
export interface RowWork {
  /** With the files that feed it, as far as they are there. */
  row: Row;
  /** The rows that feed it. */
  feeders: readonly Feeder[];
  adapter: Adapter;
  options: BatchOptions;
}

export type RowSources = Pick<AccountRecords, 'home' | 'rows' | 'records'>;

/** Loads a row by its reference; history holds nothing else of it. */
export async function loadRow(records: RowSources, ref: RowRef): Promise<RowWork> {
  const [{ row }, options] = await Promise.all([
    records.rows.readRow(ref.batch, ref.generation, ref.part, ref.index),
    readBatchOptions(records.home, ref.batch),
  ]);
  const feeders = await Promise.all((await feedersOf(records, ref, row)).map((one) => withFrame(records.home, one)));
  return { row: fedRow(row, feeders), feeders, adapter: adapterFor(row.kind), options };
}

async function withFrame(home: Home, feeder: Feeder): Promise<Feeder> {
  const { media, file } = feeder;
  if (media.frame === undefined || file === undefined) return feeder;
  return { ...feeder, frame: await readFrame(home, file.sha256, media.frame) };
}
