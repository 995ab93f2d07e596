import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import { parallel } from '../../store/parallel.js';
import type { HomeAccess } from '../access/home-access.js';
import type { CountedRows, SkippedRow } from './row-counter.js';

/** Rows that a file keeps from being sent: their records say so before the batch's workflow comes to them. */

const WRITE_WIDTH = 16;

export async function recordSkipped(
  access: HomeAccess,
  batch: string,
  { skipped, reopened }: Pick<CountedRows, 'skipped' | 'reopened'>,
): Promise<void> {
  await parallel(reopened, WRITE_WIDTH, (id) => access.records.forgetSkipped(batch, id));
  const fresh = skipped.filter(({ isRecorded }) => !isRecorded);
  await parallel(fresh, WRITE_WIDTH, (one) => recordOne(access, batch, one));
}

async function recordOne({ ledger, records }: HomeAccess, batch: string, { row, file }: SkippedRow): Promise<void> {
  const { id, kind, hash } = row;
  // The batch may run already, and have come to the row since it was looked at.
  if ((await ledger.read(batch, id)).length > 0) return;
  const known = await records.readRecord(batch, id);
  if (known?.status === 'done' && isRecordOf(known, hash)) return;
  const record: RowRecord = {
    schema: 1,
    id,
    kind,
    status: 'skipped',
    reason: `${file} was there and is not of this batch: nothing was sent`,
    flags: [],
    warnings: [],
    attempts: 0,
    files: [],
    creditsNano: 0,
    creditsBasis: 'price-book',
    finishedAtMs: Date.now(),
    rowHash: hash,
    seenStates: 0,
  };
  await records.writeRecord(batch, record);
}
