import type { BatchTally } from '../src/domain/batch.js';
import type { RowRecord } from '../src/domain/outcome.js';
import { fedMedia } from '../src/domain/row.js';
import { isCancelledBatch, sampleInForce, stoppedReason } from '../src/home/batch-marks.js';
import { readBatchOptions } from '../src/home/batch-order.js';
import { hasEarlier } from '../src/home/earlier-render.js';
import type { Home } from '../src/home/home.js';
import type { Ledger } from '../src/home/ledger.js';
import { removedRows } from '../src/home/removed-rows.js';
import { rerunIds } from '../src/home/row-orders.js';
import { damagedRecord, type Records, type StoredRow, type TouchedRows, touchedRows } from '../src/home/row-records.js';
import { isOutdone, liveWordOf, recordFor } from '../src/home/row-standing.js';
import type { Rows } from '../src/home/rows.js';
import { emptyTally, tallyResults } from '../src/home/tally-results.js';
import type { ResultLine } from '../src/manifest/result-fields.js';
import { isRunAgain, writeFailedCsv, writeResultsCsv, writeResultsJsonl } from '../src/manifest/results.js';
import type { Posters } from '../src/report/posters.js';
import { parallel } from '../src/store/parallel.js';
import type { Store } from '../src/store/port.js';
import { readOnce } from './read-once.js';
import { feedsOf, isStale, upstreamOf } from './upstream.js';

const READ_WIDTH = 32;

/** What the results of a batch are made from. */
export interface ResultSources {
  home: Home;
  ledger: Ledger;
  rows: Rows;
  records: Records;
  openStore(location: string): Store;
  now(): number;
  /** Makes the pictures of a report; without it every output has a tile. */
  posters?: Posters;
}

/**
 * Writes results.csv, results.jsonl and failed.csv into the batch's folder, each replaced whole, and counts the rows.
 * `alsoReads` is given the same lines, so that nobody reads them twice.
 */
export async function writeBatchResults(
  sources: ResultSources,
  batch: string,
  generation: string,
  alsoReads: readonly ((lines: AsyncIterable<ResultLine>) => Promise<unknown>)[] = [],
): Promise<BatchTally> {
  const options = await readBatchOptions(sources.home, batch);
  const facts = await sources.rows.generation(batch, generation);
  const out = sources.openStore(options.out);
  const { passthroughColumns = [], columns = [] } = facts ?? {};
  const { manifestFolder } = options;
  const write = (name: string, chunks: AsyncIterable<string>) =>
    out.putStream(`${batch}/${name}`, encoded(chunks), { attemptName: name, ifExists: 'replace' });
  const tally = emptyTally();
  // Reading the records takes nearly all of the time.
  const frames = { home: sources.home, out, batch };
  const lines = withFeeds(sources, { batch, generation }, { folder: `${options.out}/${batch}`, frames });
  await readOnce(lines, [
    (lines) => tallyResults(lines, tally),
    (lines) => write('results.csv', writeResultsCsv(lines, { passthroughColumns })),
    (lines) => write('results.jsonl', writeResultsJsonl(lines, { passthroughColumns })),
    (lines) => write('failed.csv', writeFailedCsv(lines, { columns, manifestFolder })),
    ...alsoReads,
  ]);
  return tally;
}

/** The lines of a batch's results, with what feeds those that are to be run again. */
async function* withFeeds(
  sources: ResultSources,
  place: { batch: string; generation: string },
  beside: Parameters<typeof feedsOf>[3],
): AsyncIterable<ResultLine> {
  for await (const line of resultLines(sources, place.batch, place.generation)) {
    const isAsked = isRunAgain(line) && !line.removed && fedMedia(line.row).length > 0;
    yield isAsked ? { ...line, ...(await feedsOf(sources, place, line.row, beside)) } : line;
  }
}

/**
 * Every row of a generation with its record, in input order; rows that have not ended carry their live word. Rows that
 * left the manifest after an attempt follow, marked as removed.
 */
export async function* resultLines(
  sources: ResultSources,
  batch: string,
  generation: string,
): AsyncIterable<ResultLine> {
  const facts = await sources.rows.generation(batch, generation);
  const untouched = await endOfUntouched(sources, batch, generation);
  const earlier = await sources.rows.generationsBeside(batch, generation);
  const touched = touchedRows(sources.home, batch);
  const reruns = new Set(await rerunIds(sources.home, batch));
  const present = new Set<string>();
  for (let part = 0; part < (facts?.parts.length ?? 0); part += 1) {
    const rows = await sources.rows.readPart(batch, generation, part);
    if (earlier.length > 0) for (const { row } of rows) present.add(row.id);
    // Side by side: one request after the other takes minutes for a large batch in a bucket.
    yield* await parallel(rows, READ_WIDTH, (stored) =>
      withStale(
        sources,
        { batch, generation },
        reruns,
        lineOf(sources, { batch, generation }, stored, touched, untouched),
      ),
    );
  }
  for await (const stored of removedRows(sources, batch, earlier, present)) {
    // What fed it is told by its own manifest, not by this one.
    yield { ...(await lineOf(sources, { batch }, stored, touched, untouched)), removed: true };
  }
}

async function lineOf(
  sources: ResultSources,
  { batch, generation }: { batch: string; generation?: string },
  { row, raw, isDamaged }: StoredRow,
  touched: TouchedRows,
  untouched: EndOfUntouched | undefined,
): Promise<ResultLine> {
  if (isDamaged) return { row, originalCells: raw, record: damagedRecord(row.id) };
  const isEnded = await touched.hasRecord(row.id);
  const record = isEnded ? await sources.records.readRecord(batch, row.id) : undefined;
  if (record && (await stillStands(sources, batch, record))) {
    return { row, record: recordFor(record, row.hash), originalCells: raw };
  }
  const stands = await withoutRecord(sources, batch, row.id, touched, untouched);
  const isHeld = 'live' in stands && stands.live === 'waiting' && fedMedia(row).length > 0;
  const upstream =
    isHeld && generation !== undefined ? await upstreamOf(sources, { batch, generation }, row) : undefined;
  const earlier = record && hasEarlier(record) && record.files.length > 0 ? { earlierFiles: record.files } : {};
  return { row, originalCells: raw, ...(upstream ?? stands), ...earlier };
}

/** Says of a row that is done where what feeds it was rendered again since. */
async function withStale(
  sources: ResultSources,
  place: { batch: string; generation: string },
  reruns: ReadonlySet<string>,
  made: Promise<ResultLine>,
): Promise<ResultLine> {
  const line = await made;
  if (line.record?.status === 'done' && line.record.keptFor === line.row.hash) return { ...line, isStale: true };
  const isFed = reruns.size > 0 && line.record?.status === 'done' && line.record.inputs !== undefined;
  return isFed && (await isStale(sources, place, line.row, line.record)) ? { ...line, isStale: true } : line;
}

/** False for a row whose case the ledger has learned more of since it ended: it is under way again. */
async function stillStands({ ledger }: ResultSources, batch: string, record: RowRecord): Promise<boolean> {
  return !isOutdone(record, []) || !isOutdone(record, await ledger.read(batch, record.id));
}

export type EndOfUntouched = Pick<Required<ResultLine>, 'ended'> &
  Pick<ResultLine, 'endedFor'> & {
    /** Rows that may still be tried all the same. */
    except?: ReadonlySet<string>;
  };

/** How rows ended that their batch never tried; undefined while it may still try them. */
export async function endOfUntouched(
  { home }: { home: Home },
  batch: string,
  generation: string,
): Promise<EndOfUntouched | undefined> {
  if (await isCancelledBatch(home, batch)) return { ended: 'cancelled' };
  const stopped = await stoppedReason(home, batch);
  if (stopped) return { ended: 'not_started', endedFor: stopped };
  const sample = await sampleInForce(home, batch, generation);
  return sample && { ended: 'not_started', except: sample };
}

async function withoutRecord(
  sources: ResultSources,
  batch: string,
  id: string,
  touched: TouchedRows,
  untouched: EndOfUntouched | undefined,
): Promise<Pick<ResultLine, 'live' | 'ended' | 'endedFor'>> {
  const attempts = (await touched.wasTried(id)) ? await sources.ledger.read(batch, id) : [];
  if (attempts.length === 0 && untouched && untouched.except?.has(id) !== true) {
    const { ended, endedFor } = untouched;
    return { ended, ...(endedFor === undefined ? {} : { endedFor }) };
  }
  return { live: liveWordOf(attempts) };
}

async function* encoded(chunks: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield encoder.encode(chunk);
}
