import { defined } from '../domain/defined.js';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { type Cell, RECORD_BYTES_MAX } from '../domain/raw-row.js';
import { type CheckedBytes, checkedBytes, withoutBoms } from './checked-bytes.js';
import { ManifestStop } from './problem.js';

/** One line of a JSONL manifest: its cells (repeated fields included), or why it is no row. */
export type JsonlRecord = { line: number; cells: Cell[] } | { line: number; message: string };

const LF = 10;

/** Reads JSONL as a stream; blank lines are left out. A broken line is a record with a message; reading goes on. */
export async function* readJsonl(source: AsyncIterable<Uint8Array>): AsyncGenerator<JsonlRecord> {
  const checked = checkedBytes(source);
  let line = 0;
  for await (const text of linesOf(checked)) {
    line += 1;
    if (text === undefined) {
      throw new ManifestStop('B55', line, 1, `line is over ${RECORD_BYTES_MAX} bytes; a cell may have 1 MiB`);
    }
    if (/^\s*$/.test(text)) continue;
    yield recordOf(withoutBoms(text), line);
  }
  const failure = checked.failure();
  if (failure !== undefined) throw failure;
}

async function* linesOf({ chunks, failure }: CheckedBytes): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      const end = chunk.subarray(from, at);
      yield (parts.length === 0 ? end : Buffer.concat([...parts, end])).toString('utf8');
      parts = [];
      bytes = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > RECORD_BYTES_MAX) {
      yield undefined;
      return;
    }
  }
  // What stands before a bad byte is a part of a line, and nothing is wrong with it.
  if (bytes > 0 && failure() === undefined) yield Buffer.concat(parts).toString('utf8');
}

function recordOf(text: string, line: number): JsonlRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { line, message: `the line is not valid JSON${placeOf(error)}` };
  }
  if (!isJsonObject(value)) {
    return { line, message: 'the line is not a JSON object; JSONL has one object per line' };
  }
  return { line, cells: cellsOf(text, value) };
}

/** Where the parser stopped, if it says so. Its own words are not shown: they quote pieces of the line. */
function placeOf(error: unknown): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  return position === undefined ? '' : ` at character ${Number(position) + 1}`;
}

function cellsOf(text: string, row: JsonObject): Cell[] {
  const cells: Cell[] = [];
  for (const [position, field] of jsonFields(text).entries()) {
    const raw = text.slice(field.start, field.end);
    cells.push(cellOf(field.name, position + 1, raw, row[field.name]));
  }
  return cells;
}

/** Null and the empty string mean "not sent", as an empty cell does: their text is empty. */
function cellOf(name: string, column: number, raw: string, value: Json | undefined): Cell {
  switch (raw[0]) {
    case 'n':
      return { name, column, form: 'json', text: '' };
    case '"':
      return { name, column, form: 'string', text: typeof value === 'string' ? value : raw };
    case '{':
    case '[':
      return { name, column, form: 'json', text: raw, ...defined({ value }) };
    case 't':
    case 'f':
      return { name, column, form: 'boolean', text: raw };
    default:
      return { name, column, form: 'number', text: raw };
  }
}

/** Where the value of one top-level field of a JSON object stands in its text. */
export interface JsonField {
  name: string;
  start: number;
  end: number;
}

/**
 * The top-level fields of a JSON object in the order of the text, repeated ones included, which `JSON.parse` hides.
 * The text must be valid JSON and an object; numbers keep their digits, so that `1e3` can be told from `1000`.
 */
export function jsonFields(text: string): JsonField[] {
  const fields: JsonField[] = [];
  let at = text.indexOf('{') + 1;
  for (;;) {
    at = skipBlanks(text, at);
    if (at >= text.length || text[at] === '}') return fields;
    const keyEnd = stringEnd(text, at);
    const name: unknown = JSON.parse(text.slice(at, keyEnd));
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    fields.push({ name: String(name), start, end });
    at = skipBlanks(text, end);
    if (text[at] === ',') at += 1;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** The position behind the string that opens at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return trimEnd(text, from, at);
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (character === ',' && depth === 0) return trimEnd(text, from, at);
    at += 1;
  }
  return at;
}

function trimEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charCodeAt(end - 1) <= 32) end -= 1;
  return end;
}
