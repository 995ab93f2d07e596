import { resolve } from 'node:path';
import { KINDS } from '../kinds/facts.js';
import type { Column, MediaColumn } from '../kinds/rule.js';
import { columnsOf } from './columns.js';
import { csvChunks, spreadsheetSafe } from './csv-text.js';
import { mediaForm, splitItems } from './media/media-cell.js';
import {
  Decimal,
  RESULT_COLUMNS,
  type ResultColumn,
  type ResultLine,
  resultFields,
  statusOf,
} from './result-fields.js';

export interface ResultsOptions {
  /** The `x-…` columns of the manifest, which follow the others. */
  passthroughColumns: readonly string[];
}

/**
 * results.csv as chunks of text, one record per line given, in the same order. Lists are joined by `|`; `files` is JSON
 * and filled when a job has several outputs; text that a spreadsheet would take for a formula is escaped.
 */
export function writeResultsCsv(lines: AsyncIterable<ResultLine>, options: ResultsOptions): AsyncIterable<string> {
  return csvChunks(csvRecords(lines, options.passthroughColumns));
}

async function* csvRecords(
  lines: AsyncIterable<ResultLine>,
  passthrough: readonly string[],
): AsyncGenerator<readonly string[]> {
  yield [...RESULT_COLUMNS, ...passthrough.map(spreadsheetSafe)];
  for await (const line of lines) {
    const fields = resultFields(line);
    const own = RESULT_COLUMNS.map((column) => csvCell(column, fields[column]));
    yield [...own, ...passthrough.map((column) => spreadsheetSafe(line.row.passthrough?.[column] ?? ''))];
  }
}

function csvCell(column: ResultColumn, value: unknown): string {
  if (value === null) return '';
  if (value instanceof Decimal) return value.text;
  if (column === 'usage') return spreadsheetSafe(JSON.stringify(value));
  if (column === 'files') return Array.isArray(value) && value.length > 1 ? JSON.stringify(value) : '';
  if (Array.isArray(value)) return spreadsheetSafe(value.join('|'));
  return typeof value === 'string' ? spreadsheetSafe(value) : String(value);
}

/**
 * results.jsonl as chunks of text: the same fields with native types and exact text, null where nothing is known,
 * `files` with every output.
 */
export async function* writeResultsJsonl(
  lines: AsyncIterable<ResultLine>,
  { passthroughColumns, nativeColumns = [] }: ResultsOptions & { nativeColumns?: readonly string[] },
): AsyncIterable<string> {
  for await (const line of lines) {
    const fields = resultFields(line);
    const own = RESULT_COLUMNS.map((column) => jsonField(column, fields[column]));
    const passed = passthroughColumns.map((column) => {
      const text = line.row.passthrough?.[column];
      return jsonField(column, text !== undefined && nativeColumns.includes(column) ? native(text) : (text ?? null));
    });
    yield `{${[...own, ...passed].join(',')}}\n`;
  }
}

/** JSON as it was written, digit by digit. A row that left the manifest may have had text there. */
function native(text: string): Decimal | string {
  try {
    JSON.parse(text);
    return new Decimal(text);
  } catch {
    return text;
  }
}

function jsonField(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${value instanceof Decimal ? value.text : JSON.stringify(value)}`;
}

export interface FailedOptions {
  /** The columns of the manifest. */
  columns: readonly string[];
  /** Relative media paths are made absolute from here. */
  manifestFolder: string;
}

const AGAIN: ReadonlySet<string> = new Set(['failed', 'cancelled', 'not_started']);

/** True for a row that failed.csv has. */
export function isRunAgain(line: ResultLine): boolean {
  return AGAIN.has(statusOf(line)) && line.isOrphan === undefined;
}

/**
 * failed.csv as chunks of text: the rows that failed, were cancelled or never started, as they stood in the manifest,
 * so that it is a manifest itself. Nothing is escaped for spreadsheets: a changed prompt would be another request.
 */
export function writeFailedCsv(lines: AsyncIterable<ResultLine>, options: FailedOptions): AsyncIterable<string> {
  return csvChunks(records(lines, options));
}

async function* records(
  lines: AsyncIterable<ResultLine>,
  { columns, manifestFolder }: FailedOptions,
): AsyncGenerator<readonly string[]> {
  const header = [...new Set(['id', 'kind', ...columns, ...FED_COLUMNS.flatMap(besides(columns))])];
  yield header;
  for await (const line of lines) {
    // Who took a row out of the manifest does not want it run again.
    if (line.removed || !isRunAgain(line)) continue;
    yield header.map((name) => cellOf(line, name, manifestFolder));
  }
}

/** Columns that may be left out beside the ones that other rows feed: no row feeds the file that stands there now. */
const FED_COLUMNS = KINDS.flatMap((kind) => [...columnsOf(kind).values()]).filter((one) => one.unlessFed !== undefined);

function besides(columns: readonly string[]): (column: Column) => string[] {
  return ({ name, unlessFed }) => (unlessFed !== undefined && columns.includes(unlessFed) ? [name] : []);
}

function cellOf({ row, originalCells, feeds = {}, fedCells = {} }: ResultLine, name: string, folder: string): string {
  if (name === 'id') return row.id;
  if (name === 'kind') return row.kind;
  const text = Object.hasOwn(originalCells, name) ? (originalCells[name] ?? '') : '';
  const column = columnsOf(row.kind).get(name);
  if (text === '' && column?.unlessFed !== undefined) return String(fedCells[name] ?? '');
  return text === '' || column?.type !== 'media' ? text : absoluteMedia(column, text, folder, feeds);
}

function absoluteMedia(
  column: MediaColumn,
  text: string,
  folder: string,
  feeds: Required<ResultLine>['feeds'],
): string {
  const split = splitItems(column, { name: column.name, column: 1, form: 'csv', text });
  if (!split.ok || !split.items.some((item) => ['path', 'row'].includes(mediaForm(item)))) return text;
  const items = split.items.map((item) => {
    const form = mediaForm(item);
    if (form === 'row') return feeds[item.trim().slice(1)] ?? item;
    return form === 'path' ? resolve(folder, item) : item;
  });
  if (column.many !== true) return items.join('');
  const isPlain = items.every((item) => !item.includes('|') && item === item.trim()) && !items[0]?.startsWith('[');
  return isPlain ? items.join('|') : JSON.stringify(items);
}
