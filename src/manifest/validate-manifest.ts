import { dirname, resolve } from 'node:path';
import { defined } from '../domain/defined.js';
import type { RawRow } from '../domain/raw-row.js';
import type { DraftRow, Report } from '../kinds/rule.js';
import { checkRow } from './check-row.js';
import { isMediaColumn, isPassthrough } from './columns.js';
import { createLineIndex } from './line-index.js';
import type { ManifestOptions, ManifestSummary } from './manifest-options.js';
import { createIdenticalRows, createManifestTally } from './manifest-tally.js';
import { createMediaReader, type MediaReader, readMedia } from './media/media-reader.js';
import { createOutlet, type WaitingRow } from './name-rows.js';
import { foldName } from './names.js';
import { createProblemLog, ManifestStop, type ProblemLog, quoted } from './problem.js';
import { formatOf, readManifest, sourceName } from './read-manifest.js';
import { createRowLinks, type RowLinks } from './references/row-links.js';
import { nearestWord } from './suggest.js';

const PROBLEMS_KEPT = 100;

/**
 * Checks a whole manifest, streaming, and hands on its good rows in normal form. Problems of the manifest never throw;
 * what `onRow` or `keepBlob` throws ends the check.
 */
export async function validateManifest(options: ManifestOptions): Promise<ManifestSummary> {
  const { source, problemLimit = PROBLEMS_KEPT, onProblem } = options;
  const log = createProblemLog(sourceName(source), problemLimit, onProblem);
  const columns = new Set<string>();
  const textColumns = new Set<string>();
  const tally = createManifestTally();
  const identical = createIdenticalRows(options.shareIdentical === true);
  let canRefer: boolean | undefined;
  const links = createRowLinks(log, options, {
    mark: identical.mark,
    async emit(row, raw) {
      tally.add(row);
      await options.onRow?.(row, raw);
    },
    canRefer: () => {
      // The lines of JSONL have no header: any of them may be the first with a reference.
      canRefer ??= formatOf(options) === 'jsonl' || [...columns].some(isMediaColumn);
      return canRefer;
    },
  });
  try {
    const rows = await checkRows(options, { columns, textColumns, log, links });
    const passthroughColumns = [...columns].filter(isPassthrough);
    return {
      rows,
      ...log.found(),
      columns: [...columns],
      passthroughColumns,
      nativeColumns: passthroughColumns.filter((name) => !textColumns.has(name)),
      ...tally.totals(),
      chains: links.chains(),
    };
  } finally {
    await links.close();
  }
}

interface Checking {
  columns: Set<string>;
  /** With a filled cell that is text. */
  textColumns: Set<string>;
  log: ProblemLog;
  links: RowLinks;
}

/** Reads and checks all rows; gives how many there are. */
async function checkRows(options: ManifestOptions, checking: Checking): Promise<number> {
  const { columns, textColumns, log, links } = checking;
  const checker = createChecker(options, log, links);
  const outlet = createOutlet(options, columns, log, { good: links.pass, bad: links.passBad });
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
      for (const { name, form } of raw.cells.values()) {
        columns.add(name);
        if (form === 'csv' || form === 'string') textColumns.add(name);
      }
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
    const row = checkRow(raw, options, reportOf(raw, log));
    for (const finding of raw.findings) {
      row.bad = true;
      log.add(finding, row.id);
    }
    const earlier = row.id === '' ? undefined : ids.add(foldName(row.id), row.line);
    if (earlier !== undefined) log.problem(row, 'B11', 'id', `id ${quoted(row.id)} already used on line ${earlier}`);
    if (options.voices !== undefined) await checkVoice(row, options.voices, log);
    const media = row.mediaItems.length === 0 ? {} : await readMedia(row, reader, log);
    await links.take(row, media);
    return { row, raw, media };
  };
}

/** What is missing since its column is misspelt is no news: nor that of a size one side stands alone then. */
function reportOf({ said }: RawRow, log: ProblemLog): Report {
  if (said === undefined || said.size === 0) return log;
  const isHalf = said.has('width') || said.has('height');
  return {
    ...log,
    problem(row, code, field, message) {
      if (said.has(field) || (code === 'B14' && isHalf)) row.bad = true;
      else log.problem(row, code, field, message);
    },
  };
}

function mediaReaderOf(options: ManifestOptions): MediaReader {
  const { source, inputRoots = [], allowLoopback = false, resolveHosts = true, hasUploadStore = false } = options;
  const folder = 'path' in source ? dirname(resolve(source.path)) : process.cwd();
  const { earlierOuts, isKnownInput, keepBlob, probeUrl } = options;
  return createMediaReader({
    ...{ folder, inputRoots, allowLoopback, resolveHosts, hasUploadStore },
    ...options.s3Media,
    ...defined({ earlierOuts, isKnownInput, keepBlob, probeUrl }),
  });
}

/** The voices of the account for a row that names one; undefined when they cannot be known. */
export type Voices = (named: string) => Promise<ReadonlySet<string> | undefined>;

/** An avatar's voice is one of those that GET voices lists (service document 2, Avatar video). */
export async function checkVoice(row: DraftRow, voices: Voices, report: Report): Promise<void> {
  const voice = row.cells.voice_id;
  if (typeof voice !== 'string') return;
  const known = await voices(voice);
  if (known === undefined || known.has(voice)) return;
  const near = nearestWord(voice, known);
  const hint = near === undefined ? '' : `did you mean '${near}'? `;
  report.problem(
    row,
    'B42',
    'voice_id',
    `unknown voice_id ${quoted(voice)}; ${hint}\`callsheet voices\` lists those of the account`,
  );
}
