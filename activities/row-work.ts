import type { RowRef } from '../src/contract/workflows.js';
import type { BatchOptions } from '../src/domain/batch.js';
import type { Row } from '../src/domain/row.js';
import { readBatchOptions } from '../src/home/batch-order.js';
import { readFrame } from '../src/home/feeds.js';
import type { Adapter } from '../src/kinds/adapter.js';
import { adapterFor } from '../src/kinds/index.js';
import type { Dependencies } from './dependencies.js';
import { type Feeder, fedRow, feedersOf } from './feeders.js';

/** A row with all that an activity needs to carry it on. */
export interface RowWork {
  /** With the files that feed it, as far as they are there. */
  row: Row;
  /** The rows that feed it. */
  feeders: readonly Feeder[];
  adapter: Adapter;
  options: BatchOptions;
}

/** Loads a row by its reference; history holds nothing else of it. */
export async function loadRow(deps: Dependencies, ref: RowRef): Promise<RowWork> {
  const [{ row }, options] = await Promise.all([
    deps.rows.readRow(ref.batch, ref.generation, ref.part, ref.index),
    readBatchOptions(deps.home, ref.batch),
  ]);
  const feeders = await Promise.all((await feedersOf(deps, ref, row)).map((one) => withFrame(deps, one)));
  return { row: fedRow(row, feeders), feeders, adapter: adapterFor(row.kind), options };
}

async function withFrame({ home }: Dependencies, feeder: Feeder): Promise<Feeder> {
  const { media, file } = feeder;
  if (media.frame === undefined || file === undefined) return feeder;
  return { ...feeder, frame: await readFrame(home, file.sha256, media.frame) };
}
