import { csvChunks } from './csv-text.js';
import { Decimal, RESULT_COLUMNS, type ResultColumn, type ResultLine, resultFields } from './result-fields.js';
import { spreadsheetSafe } from './spreadsheet-safe.js';

export { isRunAgain, writeFailedCsv } from './failed-csv.js';
export type { ResultLine } from './result-fields.js';

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
  options: ResultsOptions,
): AsyncIterable<string> {
  for await (const line of lines) {
    const fields = resultFields(line);
    const own = RESULT_COLUMNS.map((column) => jsonField(column, fields[column]));
    const passed = options.passthroughColumns.map((column) =>
      jsonField(column, line.row.passthrough?.[column] ?? null),
    );
    yield `{${[...own, ...passed].join(',')}}\n`;
  }
}

function jsonField(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${value instanceof Decimal ? value.text : JSON.stringify(value)}`;
}
