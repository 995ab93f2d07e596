import type { RowRef } from '../contract/workflows.js';
import type { Intent } from '../domain/attempt.js';
import type { BatchOptions } from '../domain/batch.js';
import type { FedInput, Row } from '../domain/row.js';
import type { Adapter } from '../kinds/adapter.js';
import { adapterFor } from '../kinds/index.js';
import type { AccountRecords } from './account-records.js';
import { readBatchOptions } from './batch-order.js';
import { type Feeder, fedRow, feedersThen } from './feeders.js';
import { readFrame } from './feeds.js';
import type { Home } from './home.js';
import type { Rows } from './rows.js';

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

/** Where a row stands in a manifest, and with what an attempt of it was made. */
type Made = Pick<Intent, 'generation' | 'part' | 'index' | 'inputs'>;

/**
 * Loads a row by its reference; history holds nothing else of it. With the claim of an attempt, as it was sent: its row may
 * have been changed in the manifest since, and what feeds it rendered again.
 */
export async function loadRow(records: RowSources, ref: RowRef, made: Made = ref): Promise<RowWork> {
  const { batch } = ref;
  const { generation, part, index, inputs } = made;
  const [{ row }, options] = await Promise.all([
    records.rows.readRow(batch, generation, part, index),
    readBatchOptions(records.home, batch),
  ]);
  return {
    ...(await withFeeders(records, { batch, generation }, row, inputs)),
    adapter: adapterFor(row.kind),
    options,
  };
}

/** A row of the manifest with what feeds it, as that lies in its batch now; with `inputs`, as it lay then. */
export async function withFeeders(
  records: RowSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  inputs?: readonly FedInput[],
): Promise<Pick<RowWork, 'row' | 'feeders'>> {
  const files = await feedersThen(records, place, row, inputs);
  const feeders = await Promise.all(files.map((one) => withFrame(records.home, one)));
  return { row: fedRow(row, feeders), feeders };
}

async function withFrame(home: Home, feeder: Feeder): Promise<Feeder> {
  const { media, file } = feeder;
  if (media.frame === undefined || file === undefined) return feeder;
  return { ...feeder, frame: await readFrame(home, file.sha256, media.frame) };
}

/** A row as the manifest that its batch runs now has it: it may have been edited since the row's job was started. */

/** How many parts to either side of its old place a row is looked for: edits move rows little. */
const PARTS_AROUND = 4;

export interface RowInForce {
  ref: RowRef;
  row: Row;
}

/** Undefined when the row is not in that manifest any more, as far as it is looked for. */
export async function rowInForce(rows: Rows, own: RowInForce): Promise<RowInForce | undefined> {
  const { batch, generation, part, id } = own.ref;
  const current = await rows.certainGeneration(batch);
  if (current === undefined || current === generation) return own;
  const count = (await rows.generation(batch, current))?.parts.length;
  if (count === undefined) return own;
  for (const near of partsAround(part, count)) {
    const found = (await rows.readPart(batch, current, near)).find(({ row }) => row.id === id)?.row;
    if (found) return { row: found, ref: { ...own.ref, generation: current, part: near, index: found.index } };
  }
  return undefined;
}

/** The part itself first, then its neighbours by distance. Pure. */
function partsAround(part: number, count: number): number[] {
  const near = Array.from({ length: count }, (_, one) => one).filter((one) => Math.abs(one - part) <= PARTS_AROUND);
  return near.sort((a, b) => Math.abs(a - part) - Math.abs(b - part));
}
