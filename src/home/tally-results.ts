import type { BatchTally } from '../domain/batch.js';
import { noCounts } from '../domain/outcome.js';
import type { ResultLine } from '../manifest/result-fields.js';

export function emptyTally(): BatchTally {
  return { counts: noCounts(), open: 0, live: {}, creditsNano: 0, creditsUnknown: 0 };
}

/** Counts the lines of a batch's results into a tally. */
export async function tallyResults(lines: AsyncIterable<ResultLine>, tally: BatchTally): Promise<void> {
  for await (const line of lines) {
    if (!line.removed) addLine(tally, line);
    if (line.isOrphan) tally.orphans = (tally.orphans ?? 0) + 1;
  }
}

function addLine(tally: BatchTally, { record, ended, live = 'waiting' }: ResultLine): void {
  if (record !== undefined) {
    tally.counts[record.status] += 1;
    if (record.creditsNano === undefined) tally.creditsUnknown += 1;
    else tally.creditsNano += record.creditsNano;
  } else if (ended !== undefined) tally.counts[ended] += 1;
  else {
    tally.open += 1;
    tally.live[live] = (tally.live[live] ?? 0) + 1;
  }
}
