import { collectedRows, storeReport, writeBatchResults } from '../../../activities/files/result-files.js';
import type { BatchResult } from '../../contract/workflows.js';
import { resultsDue, stoppedReason } from '../../home/batch-marks.js';
import { createPosters } from '../../report/posters.js';
import { type BatchPlace, type HomeAccess, resultSources } from '../access/home-access.js';
import { batchTally, type HomeTally } from './batch-tally.js';
import type { FollowEnd } from './follow.js';
import { hasQueuedRows } from './what-is-left.js';

/** The end of a batch as its records tell it, where no workflow is there to say it. */

/** Writes the result files and the report. */
export async function writeEnd(access: HomeAccess, batch: string, generation: string): Promise<void> {
  const sources = { ...resultSources(access), posters: createPosters() };
  const collecting = collectedRows(sources, batch);
  await writeBatchResults(sources, batch, generation, [collecting.collect]);
  await storeReport(sources, batch, collecting.collected(), { isPublic: false });
  await resultsDue.remove(access.home, batch);
}

/** Of a batch none of whose rows is open. */
export async function resultOf({ home }: HomeAccess, batch: string, tally: HomeTally): Promise<BatchResult> {
  // The mark outlives a cancel; then no row waits for it any more.
  const stopped = tally.counts.not_started > 0 ? await stoppedReason(home, batch) : undefined;
  return { ...tally, ...(stopped && { stopped }) };
}

/** An engine that was stopped by order has waited for paid calls: where those were the last rows, their batch has ended. */
export async function orItsEnd({ access, batch }: BatchPlace, generation: string, end: FollowEnd): Promise<FollowEnd> {
  if (end.end !== 'stopped') return end;
  const tally = await batchTally(access, batch, generation);
  if (tally.open > 0 || (await hasQueuedRows(access, batch, generation))) return end;
  await writeEnd(access, batch, generation);
  return { end: 'ended', result: await resultOf(access, batch, tally) };
}
