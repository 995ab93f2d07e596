import { defined } from '../domain/defined.js';
import type { RowRecord } from '../domain/outcome.js';
import { fedMedia } from '../domain/row.js';
import { standingOf } from '../domain/standing.js';
import type { ResultLine } from '../manifest/result-fields.js';
import { parallel } from '../store/parallel.js';
import type { AccountRecords } from './account-records.js';
import { isCancelledBatch, sampleInForce, stoppedReason } from './batch-marks.js';
import { hasEarlier } from './earlier-render.js';
import {
  type Followers,
  isRerun,
  NO_FOLLOWERS,
  type RerunOrder,
  readFollowers,
  rerunIds,
  rerunOrder,
} from './row-orders.js';
import { damagedRecord, type StoredRow, type TouchedRows, touchedRows } from './row-records.js';
import { isOrderedAnew, isOutdone, liveWordOf, type RowContent, recordFor, standsFor } from './row-standing.js';
import { rowAt } from './rows.js';
import { isStale, type KnownStale, type KnownUpstreams, upstreamOf } from './upstream.js';

/** What stands of each row of a batch, as its results, its views and its report tell it. */

export type LineSources = Pick<AccountRecords, 'home' | 'ledger' | 'rows' | 'records'>;

const READ_WIDTH = 32;

/**
 * Every row of a generation with its record, in input order; rows that have not ended carry their live word. Rows that
 * left the manifest after an attempt follow, marked as removed.
 */
export async function* resultLines(sources: LineSources, batch: string, generation: string): AsyncIterable<ResultLine> {
  const { rows } = sources;
  const facts = await rows.generation(batch, generation);
  const earlier = await rows.generationsBeside(batch, generation);
  const pass = await beginPass(sources, batch, generation);
  const present = new Set<string>();
  for (let part = 0; part < (facts?.parts.length ?? 0); part += 1) {
    const stored = await rows.readPart(batch, generation, part);
    if (earlier.length > 0) for (const { row } of stored) present.add(row.id);
    // Side by side: one request after the other takes minutes for a large batch in a bucket.
    yield* await parallel(stored, READ_WIDTH, (one) => withStale(pass, lineOf(pass, one)));
  }
  for await (const stored of removedRows(pass, earlier, present)) {
    // What fed it is told by its own manifest, not by this one.
    yield { ...(await lineOf({ ...pass, generation: undefined }, stored)), removed: true };
  }
}

/** Of single rows of the generation, by their indexes. */
export async function* linesAt(sources: LineSources, batch: string, generation: string, indexes: readonly number[]) {
  const pass = await beginPass(sources, batch, generation);
  for (let from = 0; from < indexes.length; from += READ_WIDTH) {
    const some = indexes.slice(from, from + READ_WIDTH);
    const places = await Promise.all(some.map((index) => rowAt(sources.rows, batch, generation, index)));
    yield* await Promise.all(
      places.flatMap((place) => (place === undefined ? [] : [withStale(pass, lineOf(pass, place.stored))])),
    );
  }
}

/** One way through a batch's rows. */
interface Pass {
  sources: LineSources;
  batch: string;
  /** Undefined for rows that are not of the manifest any more. */
  generation: string | undefined;
  touched: TouchedRows;
  untouched: EndOfUntouched | undefined;
  /** Rows that a person had rendered again. */
  reruns: ReadonlySet<string>;
  /** Changed rows that a person ordered to be paid again. */
  rerun: RerunOrder;
  followers: Followers;
  upstreams: KnownUpstreams;
  stale: KnownStale;
}

async function beginPass(sources: LineSources, batch: string, generation: string): Promise<Pass> {
  const { home, rows } = sources;
  const isFed = (await rows.generation(batch, generation))?.fed !== undefined;
  return {
    ...{ sources, batch, generation, touched: touchedRows(home, batch), upstreams: new Map(), stale: new Map() },
    untouched: await endOfUntouched(sources, batch, generation),
    reruns: new Set(await rerunIds(home, batch)),
    rerun: await rerunOrder(home, batch, generation),
    followers: isFed ? await readFollowers(home, batch) : NO_FOLLOWERS,
  };
}

async function lineOf(pass: Pass, { row, raw, isDamaged }: StoredRow): Promise<ResultLine> {
  const { sources, batch, generation, touched } = pass;
  if (isDamaged) return { row, originalCells: raw, record: damagedRecord(row.id) };
  const isEnded = await touched.hasRecord(row.id);
  const record = isEnded ? await sources.records.readRecord(batch, row.id) : undefined;
  const content = { hash: row.hash, mayRerun: isRerun(pass.rerun, row.id) };
  const isAnew = record !== undefined && isOrderedAnew(record, content);
  if (record && !isAnew && (await stillStands(sources, batch, record))) {
    return { row, record: recordFor(record, row.hash), originalCells: raw };
  }
  const stands = await withoutRecord(pass, row.id, isAnew ? content : undefined);
  const isHeld = stands.live === 'waiting' && fedMedia(row).length > 0 && generation !== undefined;
  // What a person ordered for the row itself is left alone by nothing.
  const isOrdered = isAnew || record?.rerunAtMs !== undefined;
  const followers = isOrdered ? NO_FOLLOWERS : pass.followers;
  const known = isOrdered ? undefined : pass.upstreams;
  const upstream = isHeld ? await upstreamOf({ ...sources, followers }, { batch, generation }, row, known) : undefined;
  if (record?.rerunAtMs !== undefined && upstream !== undefined && 'ended' in upstream) {
    // Nothing carries the order out before what feeds the row is settled: until then the earlier render holds.
    const reason = `it is to be rendered again, which waits for an order about ${upstream.endedText}`;
    return { row, record: recordFor({ ...record, reason }, row.hash), originalCells: raw };
  }
  const hasFiles = record !== undefined && (isAnew || hasEarlier(record)) && record.files.length > 0;
  const earlier = hasFiles ? { earlierFiles: record.files } : {};
  return {
    row,
    originalCells: raw,
    ...(upstream ?? stands),
    ...earlier,
    ...defined({ spentNano: record?.creditsNano }),
  };
}

/** Says of a row that is done where what feeds it was rendered again since. */
async function withStale(pass: Pass, made: Promise<ResultLine>): Promise<ResultLine> {
  const { sources, batch, generation, reruns, stale } = pass;
  const line = await made;
  if (line.record?.status !== 'done') return line;
  if (line.record.keptFor === line.row.hash) return { ...line, isStale: true };
  const isFed = reruns.size > 0 && line.record.inputs !== undefined && generation !== undefined;
  const isOld = isFed && (await isStale(sources, { batch, generation }, line.row, line.record, stale));
  return isOld ? { ...line, isStale: true } : line;
}

/** False for a row whose case the ledger has learned more of since it ended: it is under way again. */
async function stillStands({ ledger }: LineSources, batch: string, record: RowRecord): Promise<boolean> {
  return !isOutdone(record, []) || !isOutdone(record, await ledger.read(batch, record.id));
}

export type EndOfUntouched = Pick<Required<ResultLine>, 'ended'> &
  Pick<ResultLine, 'endedFor'> & {
    /** Rows that may still be tried all the same. */
    except?: ReadonlySet<string>;
  };

/** How rows ended that their batch never tried; undefined while it may still try them. */
export async function endOfUntouched(
  { home }: Pick<AccountRecords, 'home'>,
  batch: string,
  generation: string,
): Promise<EndOfUntouched | undefined> {
  if (await isCancelledBatch(home, batch)) return { ended: 'cancelled', endedFor: 'cancelled_by_user' };
  const stopped = await stoppedReason(home, batch);
  if (stopped) return { ended: 'not_started', endedFor: stopped };
  const sample = await sampleInForce(home, batch, generation);
  return sample && { ended: 'not_started', except: sample };
}

/** `anew`: what the row asks for now, where the attempts for what it asked before have ended. */
async function withoutRecord(
  { sources, batch, touched, untouched }: Pass,
  id: string,
  anew: RowContent | undefined,
): Promise<Pick<ResultLine, 'live' | 'ended' | 'endedFor'>> {
  const made = (await touched.wasTried(id)) ? await sources.ledger.read(batch, id) : [];
  const attempts = anew === undefined ? made : made.filter((attempt) => standsFor(attempt, anew));
  if (attempts.length > 0 || untouched === undefined || untouched.except?.has(id))
    return { live: liveWordOf(attempts) };
  return defined({ ended: untouched.ended, endedFor: untouched.endedFor });
}

/**
 * Rows that left the manifest after an attempt was made (design 2, Identity and running again), as they stood last;
 * newer generations first, each in its own order. Ids in `present` are still in the manifest.
 */
async function* removedRows(
  { sources: { rows, ledger }, batch, touched }: Pass,
  earlier: readonly string[],
  present: ReadonlySet<string>,
): AsyncIterable<StoredRow> {
  const seen = new Set<string>();
  for (const generation of earlier) {
    const parts = (await rows.generation(batch, generation))?.parts.length ?? 0;
    for (let part = 0; part < parts; part += 1) {
      for (const stored of await rows.readPart(batch, generation, part)) {
        const { id } = stored.row;
        if (present.has(id) || seen.has(id)) continue;
        seen.add(id);
        if ((await touched.wasTried(id)) && (await wasTried(ledger, batch, id))) yield stored;
      }
    }
  }
}

/** A place that was made void is no attempt: nothing was ever sent. */
async function wasTried(ledger: LineSources['ledger'], batch: string, id: string): Promise<boolean> {
  return (await ledger.read(batch, id)).some((attempt) => standingOf(attempt) !== 'void');
}
