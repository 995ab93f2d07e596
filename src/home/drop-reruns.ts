import { overrideOf, standingOf } from '../domain/standing.js';
import type { AccountRecords } from './account-records.js';
import { failedAgain } from './earlier-render.js';
import { clearFollowers, rerunIds } from './row-orders.js';
import { statesOf } from './row-standing.js';

/** Takes back what was ordered to be rendered again, or to follow a settled row, and was not sent yet: its batch was cancelled, or stopped. */
export async function dropReruns(
  { home, ledger, records }: Pick<AccountRecords, 'home' | 'ledger' | 'records'>,
  batch: string,
  nowMs: number,
): Promise<void> {
  await clearFollowers(home, batch);
  for (const id of await rerunIds(home, batch)) {
    const record = await records.readRecord(batch, id);
    if (record?.rerunAtMs === undefined) continue;
    const attempts = await ledger.read(batch, id);
    const last = attempts.at(-1);
    const isSent = last !== undefined && !(standingOf(last) === 'overridden' && overrideOf(last)?.cause === 'rerun');
    if (isSent) continue;
    const reason = 'the batch was cancelled or stopped before';
    const dropped = { ...record, reason, finishedAtMs: nowMs, seenStates: statesOf(attempts) };
    await records.writeRecord(batch, failedAgain(record, dropped));
  }
}
