import type { RowRef } from '../contract/workflows.js';
import type { BatchTally } from '../domain/batch.js';
import { noCounts, type RowRecord } from '../domain/outcome.js';
import type { Row } from '../domain/row.js';
import type { ResultLine } from '../manifest/result-fields.js';
import { type Feeder, type FeedSources, fedInputs, feedersOf, isReady } from './feeders.js';
import { type Followers, isLeftAlone } from './row-orders.js';

/** Why a row that others feed has not started: it waits for them, one of them brought no output, or it is left alone. */
export type Upstream = { live: 'held'; waitsFor: string; endedText: string } | Ended;

type Ended = Pick<Required<ResultLine>, 'ended' | 'endedFor' | 'endedText'> & { id: string };

interface UpstreamSources extends FeedSources {
  followers: Followers;
}

/** What one look at a batch has found already, by row. */
export type KnownUpstreams = Map<string, Promise<Upstream | undefined>>;
export type KnownStale = Map<string, Promise<boolean>>;

/** A look at a million rows forgets: in the order of the manifest a row's feeders are mostly near. */
const KNOWN_MAX = 20_000;

/**
 * Undefined for a row that can run. Rows without an own record are looked through, so that the row at fault is named;
 * many ways can lead to the same one, and each look at a batch goes through it once.
 */
export function upstreamOf(
  sources: UpstreamSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  known: KnownUpstreams = new Map(),
): Promise<Upstream | undefined> {
  return once(known, row.id, () => lookUp(sources, place, row, known));
}

function once<Found>(known: Map<string, Promise<Found>>, id: string, find: () => Promise<Found>): Promise<Found> {
  const found = known.get(id);
  if (found !== undefined) return found;
  if (known.size >= KNOWN_MAX) known.clear();
  const asked = find();
  known.set(id, asked);
  return asked;
}

async function lookUp(
  sources: UpstreamSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  known: KnownUpstreams,
): Promise<Upstream | undefined> {
  const feeders = await feedersOf(sources, place, row);
  const isLeft = isLeftAlone(sources.followers, row.id, feeders);
  if (isReady(feeders) && !isLeft) return undefined;
  for (const feeder of feeders) {
    const own = endOfFeeder(feeder);
    if (own !== undefined) return own;
  }
  for (const feeder of feeders) {
    const feeding = feeder.row;
    // One that is to be rendered again has its earlier file, and may wait itself.
    if (feeding === undefined || isReady([feeder])) continue;
    const above = await upstreamOf(sources, place, feeding, known);
    if (above !== undefined && 'ended' in above) return above;
  }
  if (isLeft) return leftAlone(sources.followers, feeders);
  const waitsFor = feeders.find((one) => !isReady([one]))?.media.id ?? '';
  return { live: 'held', waitsFor, endedText: `waits for row ${waitsFor}` };
}

/** What feeds it came after it had ended, or by an order that left it alone. */
function leftAlone({ late }: Followers, feeders: readonly Feeder[]): Ended {
  const found = feeders.find(({ row }) => row !== undefined && late.has(row.id)) ?? feeders[0];
  const id = found?.media.id ?? '';
  return {
    id,
    ended: 'not_started',
    endedFor: 'upstream_late',
    endedText: `row ${id}, which feeds it, brought its output after this one had ended`,
  };
}

/** A row that ended without an output for those that it feeds. */
export function endOfFeeder({ media, record, file }: Feeder): Ended | undefined {
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

/**
 * Whether a row that is done was made with other files than those that feed it now, or with a file that was: the end of a
 * chain shows the earlier picture as well.
 */
export function isStale(
  sources: FeedSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  { inputs: used = [] }: Pick<RowRecord, 'inputs'>,
  known: KnownStale = new Map(),
): Promise<boolean> {
  return once(known, row.id, async () => {
    const feeders = await feedersOf(sources, place, row);
    const now = fedInputs({ feeders }).inputs ?? [];
    if (now.some((input) => used.every((one) => one.row !== input.row || one.sha256 !== input.sha256))) return true;
    for (const { row: feeding, record } of feeders) {
      // One that stays by an order feeds as it is: what it fed before that order stays by it, too.
      const isMade = record?.status === 'done' && record.inputs !== undefined && record.keptFor !== feeding?.hash;
      if (isMade && feeding !== undefined && (await isStale(sources, place, feeding, record, known))) return true;
    }
    return false;
  });
}

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

function addLine(tally: BatchTally, { record, ended, spentNano = 0, live = 'waiting' }: ResultLine): void {
  tally.creditsNano += spentNano;
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
