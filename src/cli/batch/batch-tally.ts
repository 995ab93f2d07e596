import { resultLines } from '../../activities/result-files.js';
import { emptyTally, tallyResults } from '../../activities/tally-results.js';
import type { BatchTally } from '../../domain/batch-tally.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from './final-rows.js';

/** What the home knows of the rows of a batch's manifest, without any engine. */
export async function batchTally(access: HomeAccess, batch: string, generation: string): Promise<BatchTally> {
  const tally = emptyTally();
  await tallyResults(resultLines(resultSources(access), batch, generation), tally);
  return tally;
}
