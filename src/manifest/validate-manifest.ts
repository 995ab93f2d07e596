import { dirname, resolve } from 'node:path';
import type { RawRow } from '../domain/raw-row.js';
import type { Media, Row } from '../domain/row.js';
import { type CheckedRow, checkRow } from './check-row.js';
import { checkVoice } from './check-voice.js';
import { isColumn, isPassthrough } from './columns.js';
import { createIdenticalRows } from './identical-rows.js';
import { foldName } from './ids.js';
import { createLineIndex } from './line-index.js';
import type { ManifestOptions, ManifestSummary, RawCells } from './manifest-options.js';
import { createManifestTally } from './manifest-tally.js';
import { createMediaReader, type MediaReader } from './media/media-reader.js';
import { createRowNamer, FLAT_ROWS_MAX } from './name-rows.js';
import { ManifestStop, quoted } from './problem.js';
import { createProblemLog, type ProblemLog } from './problem-log.js';
import { formatOf, readManifest, sourceName } from './read-manifest.js';
import { readMedia } from './read-media.js';
import type { PlaceOf } from './references/links.js';
import { createRowLinks, type RowLinks } from './references/row-links.js';
import { rowHash } from './row-hash.js';

const PROBLEMS_KEPT = 100;

/** A row whose name waits until the size of the manifest is known. */
interface WaitingRow {
  row: CheckedRow;
  raw: RawRow;
  media: Record<string, Media[]>;
}

/**
 * Checks a whole manifest, streaming, and hands on its good rows in normal form. Problems of the manifest never throw;
 * what `onRow` or `keepBlob` throws ends the check.
 */
export async function validateManifest(options: ManifestOptions): Promise<ManifestSummary> {
  const { source, problemLimit = PROBLEMS_KEPT, onProblem } = options;
  const log = createProblemLog(sourceName(source), problemLimit, onProblem);
  const columns = new Set<string>();
  const tally = createManifestTally();
  const identical = createIdenticalRows(options.shareIdentical === true);
  const links = createRowLinks(log, options, async (row, raw) => {
    identical.mark(row);
    tally.add(row);
    await options.onRow?.(row, raw);
  });
  try {
    const rows = await checkRows(options, { columns, log, links });
    return {
      rows,
      problems: log.problems(),
      problemCount: log.problemCount(),
      warnings: log.warnings(),
      warningCount: log.warningCount(),
      columns: [...columns],
      passthroughColumns: [...columns].filter(isPassthrough),
      ...tally.totals(),
      chains: links.chains(),
    };
  } finally {
    await links.close();
  }
}

interface Checking {
  columns: Set<string>;
  log: ProblemLog;
  links: RowLinks;
}

/** Reads and checks all rows; gives how many there are. */
async function checkRows(options: ManifestOptions, { columns, log, links }: Checking): Promise<number> {
  const checker = createChecker(options, log, links);
  const outlet = createOutlet(options, columns, log, (row, raw, placeOf) => links.pass(row, raw, placeOf));
  let rows = 0;
  let stop: ManifestStop | undefined;
  try {
    for await (const raw of readManifest({
      ...options,
      onHeader: (names, findings) => {
        for (const name of names) columns.add(name);
        for (const finding of findings) log.add(finding);
      },
    })) {
      rows += 1;
      for (const name of raw.cells.keys()) columns.add(name);
      await outlet.take(await checker(raw));
    }
  } catch (error) {
    if (!(error instanceof ManifestStop)) throw error;
    stop = error;
  }
  await outlet.end();
  // Where the rest cannot be read, rows that refer to it are not looked at.
  if (stop !== undefined) log.add(stop);
  else await links.end();
  if (stop === undefined && rows === 0) log.add({ line: 1, column: 1, code: 'B2', message: 'manifest has no rows' });
  return rows;
}

/** Checks one row with all that it shares with the others: used ids, known files and hosts. */
function createChecker(
  options: ManifestOptions,
  log: ProblemLog,
  links: RowLinks,
): (raw: RawRow) => Promise<WaitingRow> {
  const ids = createLineIndex();
  const reader = mediaReaderOf(options);
  return async (raw) => {
    const row = checkRow(raw, options, log);
    for (const finding of raw.findings) {
      row.bad = true;
      log.add(finding, row.id);
    }
    const earlier = row.id === '' ? undefined : ids.add(foldName(row.id), row.line);
    if (earlier !== undefined) log.problem(row, 'B11', 'id', `id ${quoted(row.id)} already used on line ${earlier}`);
    if (options.voices !== undefined) await checkVoice(row, options.voices, log);
    const media = row.mediaItems.length === 0 ? {} : await readMedia(row, reader, log);
    links.take(row, media);
    return { row, raw, media };
  };
}

function mediaReaderOf(options: ManifestOptions): MediaReader {
  const { source, inputRoots = [], allowLoopback = false, resolveHosts = true, hasUploadStore = false } = options;
  const folder = 'path' in source ? dirname(resolve(source.path)) : process.cwd();
  const { keepBlob, probeUrl } = options;
  return createMediaReader({
    ...{ folder, inputRoots, allowLoopback, resolveHosts, hasUploadStore },
    ...options.s3Media,
    ...(keepBlob === undefined ? {} : { keepBlob }),
    ...(probeUrl === undefined ? {} : { probeUrl }),
  });
}

/**
 * Names the rows and passes the good ones on, in order. The default names depend on whether there are more than 1,000
 * rows, so the first 1,000 wait until that is known.
 */
function createOutlet(
  options: ManifestOptions,
  columns: ReadonlySet<string>,
  log: ProblemLog,
  pass: (row: Row, raw: RawCells, placeOf: PlaceOf) => Promise<void>,
) {
  const { nameTemplate, date = new Date().toISOString().slice(0, 10) } = options;
  const namer = createRowNamer({
    date,
    hasColumn: formatOf(options) === 'jsonl' ? isColumn : (name) => columns.has(name),
    onBadTemplate: (message) => log.add({ line: 1, column: 1, code: 'B46', message }),
    ...(nameTemplate === undefined ? {} : { nameTemplate }),
  });
  let waiting: WaitingRow[] | undefined = nameTemplate === undefined ? [] : undefined;
  let index = 0;

  async function emit({ row, raw, media }: WaitingRow, isLarge: boolean): Promise<void> {
    const stem = namer.name(row, raw, index, isLarge, log);
    if (stem !== undefined && !row.bad) await pass(rowOf(row, media, stem, index), rawCells(row, raw), row.positionOf);
    index += 1;
  }

  async function release(isLarge: boolean): Promise<void> {
    const held = waiting ?? [];
    waiting = undefined;
    for (const one of held) await emit(one, isLarge);
  }

  return {
    async take(one: WaitingRow): Promise<void> {
      if (waiting !== undefined) {
        waiting.push(one);
        if (waiting.length > FLAT_ROWS_MAX) await release(true);
      } else await emit(one, true);
    },
    end: () => release(false),
  };
}

function rowOf(checked: CheckedRow, media: Record<string, Media[]>, stem: string, index: number): Row {
  const { line, id, kind, cells, group, extra, passthrough } = checked;
  const row: Row = { index, line, id, kind, stem, cells, media, hash: '' };
  if (group !== undefined) row.group = group;
  if (extra !== undefined) row.extra = extra;
  if (passthrough !== undefined) row.passthrough = passthrough;
  row.hash = rowHash(row);
  return row;
}

function rawCells(row: CheckedRow, raw: RawRow): RawCells {
  const cells: RawCells = {};
  for (const [name, cell] of raw.cells) cells[name] = cell.text;
  cells.kind = row.kind;
  return cells;
}
