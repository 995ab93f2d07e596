import { resultLines } from '../../activities/result-files.js';
import type { CreditsNano } from '../../domain/money.js';
import type { LiveWord, Status } from '../../domain/outcome.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from './final-rows.js';

/** What the home knows of the rows of a batch's manifest, without any engine. */
export interface BatchTally {
  counts: Record<Status, number>;
  /** Rows that have not ended. */
  open: number;
  /** The open rows by what the ledger says of them. */
  live: Partial<Record<LiveWord, number>>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
}

export async function batchTally(access: HomeAccess, batch: string, generation: string): Promise<BatchTally> {
  const tally: BatchTally = {
    counts: { done: 0, failed: 0, lost_paid: 0, review: 0, cancelled: 0, not_started: 0 },
    open: 0,
    live: {},
    creditsNano: 0,
    creditsUnknown: 0,
  };
  for await (const line of resultLines(resultSources(access), batch, generation)) {
    if (line.removed) continue;
    if (line.record !== undefined) {
      tally.counts[line.record.status] += 1;
      if (line.record.creditsNano === undefined) tally.creditsUnknown += 1;
      else tally.creditsNano += line.record.creditsNano;
    } else if (line.ended !== undefined) tally.counts[line.ended] += 1;
    else {
      tally.open += 1;
      const word = line.live ?? 'waiting';
      tally.live[word] = (tally.live[word] ?? 0) + 1;
    }
  }
  return tally;
}
