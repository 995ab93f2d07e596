import { resolve } from 'node:path';
import type { MediaColumn } from '../kinds/rule.js';
import { columnsOf } from './columns.js';
import { csvChunks } from './csv-text.js';
import { mediaForm } from './media/media-form.js';
import { type ResultLine, statusOf } from './result-fields.js';
import { splitItems } from './split-items.js';

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
  const header = [...new Set(['id', 'kind', ...columns])];
  yield header;
  for await (const line of lines) {
    // Who took a row out of the manifest does not want it run again.
    if (line.removed || !isRunAgain(line)) continue;
    yield header.map((name) => cellOf(line, name, manifestFolder));
  }
}

function cellOf({ row, originalCells, feeds = {} }: ResultLine, name: string, folder: string): string {
  if (name === 'id') return row.id;
  if (name === 'kind') return row.kind;
  const text = Object.hasOwn(originalCells, name) ? (originalCells[name] ?? '') : '';
  const column = columnsOf(row.kind).get(name);
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
