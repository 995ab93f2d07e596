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

/** Whether a retry that nothing took back has not come to all of its rows: until then they keep the records of their ends. */
export async function hasQueuedRows(access: HomeAccess, batch: string, generation: string): Promise<boolean> {
  const { home } = access;
  const retry = keptRetry(await readBatchOrder(home, batch), generation);
  if (retry === null || (await isCancelledBatch(home, batch)) || (await stoppedReason(home, batch))) return false;
  for await (const { record, removed } of resultLines(resultSources(access), batch, generation)) {
    if (!removed && isQueued(record, retry)) return true;
  }
  return false;
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
