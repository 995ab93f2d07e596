import type { RetryOrder } from '../../contract/workflows.js';
import type { RowRecord } from '../../domain/outcome.js';
import { isCancelledBatch, stoppedReason } from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { resultLines } from '../../home/result-lines.js';
import { rowStanding } from '../../home/row-standing.js';
import { retryFor } from '../../home/run-order.js';
import { type HomeAccess, resultSources } from '../access/home-access.js';
import { batchTally } from './batch-tally.js';
import { keptRetry } from './batch-terms.js';
import type { KnownBatch } from './known-batch.js';

/** What there is to go on with in a batch that nothing works on. */

type Kept = Pick<KnownBatch, 'access' | 'batch' | 'generation'>;

export async function hasOpenRows({ access, batch, generation: { generation } }: Kept): Promise<boolean> {
  return (await batchTally(access, batch, generation)).open > 0 || (await hasQueuedRows(access, batch, generation));
}

/** Whether a batch that did not stop has rows that a retry has not come to. */
export async function hasQueuedRows(access: HomeAccess, batch: string, generation: string): Promise<boolean> {
  if ((await stoppedReason(access.home, batch)) !== undefined) return false;
  for await (const id of queuedRows(access, batch, generation)) return id !== undefined;
  return false;
}

/** The ids of rows that a retry which nothing took back has not come to: until then they keep the records of their ends. */
export async function* queuedRows(access: HomeAccess, batch: string, generation: string): AsyncIterable<string> {
  const retry = keptRetry(await readBatchOrder(access.home, batch), generation);
  if (retry === null || (await isCancelledBatch(access.home, batch))) return;
  for await (const { row, record, removed } of resultLines(resultSources(access), batch, generation)) {
    if (!removed && isQueued(record, retry)) yield row.id;
  }
}

/** A row that a retry has not come to yet. Pure. */
export function isQueued(record: RowRecord | undefined, retry: RetryOrder | null): boolean {
  const isOver = record?.status === 'failed' || record?.status === 'cancelled';
  return isOver && !rowStanding(record, null, retryFor(record, retry)).ended;
}

/** True when a paid output is still to be fetched: a server that was wiped knows nothing of it. */
export async function waitsForOutput({ access, batch, generation }: Kept): Promise<boolean> {
  for await (const { record, removed } of resultLines(resultSources(access), batch, generation.generation)) {
    if (!removed && record?.reasonCode === 'output_pending') return true;
  }
  return false;
}
