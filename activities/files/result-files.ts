import type { RowRef } from '../../src/contract/workflows.js';
import type { BatchTally } from '../../src/domain/batch.js';
import { type FedMedia, fedMedia, type Row } from '../../src/domain/row.js';
import { isS3Address } from '../../src/domain/s3.js';
import { readBatchOptions } from '../../src/home/batch-order.js';
import { type FeedSources, fedRow, feedersOf } from '../../src/home/feeders.js';
import { type LineSources, resultLines } from '../../src/home/result-lines.js';
import { emptyTally, tallyResults } from '../../src/home/upstream.js';
import { columnsOf, takesUrlOnly } from '../../src/manifest/columns.js';
import { wantedSort } from '../../src/manifest/media/media-reader.js';
import type { ResultLine } from '../../src/manifest/result-fields.js';
import { isRunAgain, writeFailedCsv, writeResultsCsv, writeResultsJsonl } from '../../src/manifest/results.js';
import { collectRows, type ReportRows } from '../../src/report/collect.js';
import type { Posters } from '../../src/report/posters.js';
import { writeReport } from '../../src/report/write-report.js';
import type { Store } from '../../src/store/port.js';
import { type FramePlace, frameFile } from './film-frame.js';

/** What the results of a batch are made from. */
export interface ResultSources extends LineSources {
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
  const { passthroughColumns = [], nativeColumns = [], columns = [] } = facts ?? {};
  const { manifestFolder } = options;
  const write = (name: string, chunks: AsyncIterable<string>) =>
    out.putStream(`${batch}/${name}`, encoded(chunks), { attemptName: name, ifExists: 'replace' });
  const tally = emptyTally();
  // Reading the records takes nearly all of the time.
  const frames = { home: sources.home, out, batch };
  const canUpload = isS3Address(options.out) || isS3Address(sources.home.store.location);
  const lines = withFeeds(sources, { batch, generation }, { folder: `${options.out}/${batch}`, frames, canUpload });
  await readOnce(lines, [
    (lines) => tallyResults(lines, tally),
    (lines) => write('results.csv', writeResultsCsv(lines, { passthroughColumns })),
    (lines) => write('results.jsonl', writeResultsJsonl(lines, { passthroughColumns, nativeColumns })),
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

/** What failed.csv must know of the rows that feed a row which is to be run again. `folder` is the batch's, with its place. */
export async function feedsOf(
  sources: FeedSources,
  place: Pick<RowRef, 'batch' | 'generation'>,
  row: Row,
  beside: { folder: string; frames: FramePlace; canUpload: boolean },
): Promise<Pick<ResultLine, 'feeds' | 'fedCells' | 'isOrphan'>> {
  const feeds: Record<string, string | null> = {};
  const feeders = await feedersOf(sources, place, row);
  const urlOnly = beside.canUpload ? [] : referencesByUrl(row);
  for (const { media, row: feeding, record, file } of feeders) {
    const { id, frame } = media;
    const name = file && frame !== undefined ? await frameFile(beside.frames, { id, frame }, file) : file?.file;
    feeds[frame === undefined ? id : `${id}:${frame}`] = name === undefined ? null : `${beside.folder}/${name}`;
    if (name !== undefined && !urlOnly.includes(media)) continue;
    if (file !== undefined) return { feeds, isOrphan: true };
    const isRunAgain = record === undefined || ['failed', 'cancelled', 'not_started'].includes(record.status);
    const above = feeding && isRunAgain ? await feedsOf(sources, place, feeding, beside) : undefined;
    if (above === undefined || above.isOrphan) return { feeds, isOrphan: true };
  }
  const { cells } = fedRow(row, feeders);
  return { feeds, ...(cells === row.cells ? {} : { fedCells: cells }) };
}

/** References in columns that take URLs alone. */
function referencesByUrl(row: Row): FedMedia[] {
  return Object.entries(row.media).flatMap(([name, list]) => {
    const column = columnsOf(row.kind).get(name);
    const isUrlOnly = column?.type === 'media' && takesUrlOnly(column.media, wantedSort(row, column));
    return isUrlOnly ? list.flatMap((item) => (item.source === 'row' ? [item] : [])) : [];
  });
}

async function* encoded(chunks: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield encoder.encode(chunk);
}

/** Writes the report of a batch as it stands now, which takes one pass over its rows; gives the page. */
export async function writeBatchReport(
  sources: ResultSources,
  batch: string,
  generation: string,
  { isPublic }: { isPublic: boolean },
): Promise<string> {
  const { collect, collected } = collectedRows(sources, batch);
  await collect(resultLines(sources, batch, generation));
  return storeReport(sources, batch, collected(), { isPublic });
}

/** Gathers what a report says while somebody else reads the lines. */
export function collectedRows({ home }: ResultSources, batch: string) {
  let rows: ReportRows | undefined;
  return {
    collect: async (lines: AsyncIterable<ResultLine>): Promise<void> => {
      rows = await collectRows(lines, { createdAtMs: (await home.readBatch(batch))?.createdAtMs ?? 0 });
    },
    collected: (): ReportRows => {
      if (rows === undefined) throw new Error('the lines were not read to their end');
      return rows;
    },
  };
}

export async function storeReport(
  { home, openStore, posters, now, rows: records }: ResultSources,
  batch: string,
  rows: ReportRows,
  { isPublic }: { isPublic: boolean },
): Promise<string> {
  const out = openStore((await readBatchOptions(home, batch)).out);
  const generation = (await records.currentGeneration(batch)) ?? '';
  return writeReport({ home, out, batch, generation, posters, isPublic, nowMs: now() }, rows);
}

/** One source for several readers, which go at the pace of the slowest. */

/** How far the fastest may be ahead: so many items are held at most. */
const AHEAD_MAX = 1_000;

/** Gives every item of the source to each reader, reading it once. The first failure ends all, and is thrown. */
export async function readOnce<T>(
  source: AsyncIterable<T>,
  readers: readonly ((items: AsyncIterable<T>) => Promise<unknown>)[],
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  const held = new Map<number, Promise<IteratorResult<T>>>();
  const read = readers.map(() => 0);
  const waiting: (() => void)[] = [];
  let failure: { error: unknown } | undefined;
  const advance = (own: number, to: number) => {
    read[own] = to;
    const slowest = Math.min(...read);
    for (const index of held.keys()) {
      if (index >= slowest) break;
      held.delete(index);
    }
    for (const go of waiting.splice(0)) go();
  };
  async function* items(own: number): AsyncIterable<T> {
    for (let index = 0; ; index += 1) {
      while (failure === undefined && index - Math.min(...read) >= AHEAD_MAX) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      if (failure !== undefined) throw failure.error;
      const next = held.get(index) ?? iterator.next();
      held.set(index, next);
      const result = await next;
      advance(own, index + 1);
      if (result.done === true) return;
      yield result.value;
    }
  }
  const run = async (reader: (typeof readers)[number], own: number) => {
    try {
      await reader(items(own));
    } catch (error) {
      failure ??= { error };
    } finally {
      advance(own, Number.POSITIVE_INFINITY);
    }
  };
  await Promise.all(readers.map(run));
  await iterator.return?.();
  if (failure !== undefined) throw failure.error;
}
