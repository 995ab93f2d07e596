import { needsPerson, type RowRecord } from '../domain/outcome.js';
import type { AccountRecords } from './account-records.js';
import { indexedSums, keptEntries } from './batch-index.js';
import { resultLines } from './result-lines.js';
import { damagedRecord } from './row-records.js';
import { recordFor } from './row-standing.js';

/** How many rows of a batch need a person, by their status, and when the latest of them ended, epoch ms. */
export interface RowsForPerson {
  counts: { review: number; lost_paid: number };
  latestMs: number;
}

/**
 * As the records say, not as a run has counted them: a run counts rows again that were looked at long ago. While the
 * batch runs, an output that is still fetched is left out: that row may yet be done, or ends anew.
 */
export async function rowsForPerson(
  account: AccountRecords,
  batch: string,
  generation: string,
  { isRunning }: { isRunning: boolean },
): Promise<RowsForPerson> {
  const counts = { review: 0, lost_paid: 0 };
  let latestMs = 0;
  for await (const record of endedForPerson(account, batch, generation)) {
    if (isRunning && record.reasonCode === 'output_pending') continue;
    counts[record.status === 'review' ? 'review' : 'lost_paid'] += 1;
    latestMs = Math.max(latestMs, record.finishedAtMs);
  }
  return { counts, latestMs };
}

async function* endedForPerson(account: AccountRecords, batch: string, generation: string): AsyncIterable<RowRecord> {
  const sums = await indexedSums(account, batch, generation);
  if (sums === undefined) {
    for await (const { record, removed } of resultLines(account, batch, generation)) {
      if (record !== undefined && !removed && needsPerson(record)) yield record;
    }
    return;
  }
  for (const [shard, { forPerson }] of sums) {
    const entries = forPerson === 0 ? [] : ((await keptEntries(account, batch, generation, shard)) ?? []);
    const found = entries.filter(({ end }) => end?.[3]);
    const records = await account.records.readRecords(
      batch,
      found.map(({ id }) => id),
    );
    yield* found.map(({ id, hash }, i) => recordFor(records[i] ?? damagedRecord(id), hash));
  }
}
