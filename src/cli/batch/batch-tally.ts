import { resultLines } from '../../activities/result-files.js';
import { emptyTally, tallyResults } from '../../activities/tally-results.js';
import type { BatchTally } from '../../domain/batch-tally.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from './final-rows.js';

/** What the home knows of the rows of a batch's manifest, without any engine. */
export async function batchTally(
  access: HomeAccess,
  batch: string,
  generation: string,
  /** Throws once it is aborted. */
  signal?: AbortSignal,
): Promise<BatchTally> {
  const tally = emptyTally();
  await tallyResults(untilAborted(resultLines(resultSources(access), batch, generation), signal), tally);
  return tally;
}

async function* untilAborted<T>(lines: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  for await (const line of lines) {
    signal?.throwIfAborted();
    yield line;
  }
}
