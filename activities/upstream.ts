import type { RowRef } from '../src/contract/workflows.js';
import type { RowRecord } from '../src/domain/outcome.js';
import type { Row } from '../src/domain/row.js';
import { type Feeder, type FeedSources, fedInputs, feedersOf, isReady } from '../src/home/feeders.js';
import type { ResultLine } from '../src/manifest/result-fields.js';
import { type FramePlace, frameFile } from './frame-files.js';

/** Why a row that others feed has not started: it waits for them, or one of them brought no output. */
export type Upstream =
  | { live: 'held'; endedText: string }
  | (Pick<Required<ResultLine>, 'ended' | 'endedFor' | 'endedText'> & { id: string });

/** Undefined for a row that can run. Rows without an own record are looked through, so that the row at fault is named. */
export async function upstreamOf(
  sources: FeedSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
): Promise<Upstream | undefined> {
  const feeders = await feedersOf(sources, place, row);
  if (isReady(feeders)) return undefined;
  for (const feeder of feeders) {
    const own = endOf(feeder);
    if (own !== undefined) return own;
  }
  for (const { row: feeding, record } of feeders) {
    if (feeding === undefined || (record !== undefined && record.status === 'done')) continue;
    const above = await upstreamOf(sources, place, feeding);
    if (above !== undefined && 'ended' in above) return above;
  }
  const waitedFor = feeders.find(({ file }) => file === undefined);
  return { live: 'held', endedText: `waits for row ${waitedFor?.media.id}` };
}

/** A row that ended without an output for those that it feeds. */
function endOf({ media, record, file }: Feeder): Upstream | undefined {
  if (record === undefined || file !== undefined || record.reasonCode === 'row_replaced') return undefined;
  const isForPerson = record.status === 'review' || record.status === 'lost_paid' || record.status === 'done';
  const why = record.reasonCode === undefined ? record.status : `${record.status}, ${record.reasonCode}`;
  return {
    id: media.id,
    ended: 'not_started',
    endedFor: isForPerson ? 'upstream_review' : 'upstream_failed',
    endedText: `row ${media.id}, which feeds it: ${why}`,
  };
}

/** Whether a row that is done was made with other files than those that feed it now. */
export async function isStale(
  sources: FeedSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  record: RowRecord | undefined,
): Promise<boolean> {
  const now = fedInputs({ feeders: await feedersOf(sources, place, row) }).inputs ?? [];
  const used = record?.inputs ?? [];
  return now.some((input) => used.every((one) => one.row !== input.row || one.sha256 !== input.sha256));
}

/** What failed.csv must know of the rows that feed a row which is to be run again. `folder` is the batch's, with its place. */
export async function feedsOf(
  sources: FeedSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  beside: { folder: string; frames: FramePlace },
): Promise<Pick<ResultLine, 'feeds' | 'isOrphan'>> {
  const feeds: Record<string, string | null> = {};
  for (const { media, row: feeding, record, file } of await feedersOf(sources, place, row)) {
    const { id, frame } = media;
    const name = file && frame !== undefined ? await frameFile(beside.frames, { id, frame }, file) : file?.file;
    feeds[frame === undefined ? id : `${id}:${frame}`] = name === undefined ? null : `${beside.folder}/${name}`;
    if (name !== undefined) continue;
    if (file !== undefined) return { feeds, isOrphan: true };
    const isRunAgain = record === undefined || ['failed', 'cancelled', 'not_started'].includes(record.status);
    const above = feeding && isRunAgain ? await feedsOf(sources, place, feeding, beside) : undefined;
    if (above === undefined || above.isOrphan) return { feeds, isOrphan: true };
  }
  return { feeds };
}
