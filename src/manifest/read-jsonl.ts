import { createScanner } from 'jsonc-parser';
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
  // Its trees are built level by level: a cell that is nested deeper than the stack would end the reading.
  const scanner = createScanner(text, true);
  let depth = 0;
  let field: JsonField | undefined;
  // The first token opens the object.
  scanner.scan();
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = scanner.getTokenOffset();
    const first = text[start] ?? '';
    if (depth === 0 && first === '}') return fields;
    if (depth === 0 && first === ':') continue;
    if (depth === 0 && first === ',') {
      field = undefined;
    } else if (field === undefined) {
      field = { name: scanner.getTokenValue(), start: 0, end: 0 };
      fields.push(field);
    } else {
      if (field.end === 0) field.start = start;
      field.end = start + scanner.getTokenLength();
      if (first === '{' || first === '[') depth += 1;
      if (first === '}' || first === ']') depth -= 1;
    }
  }
  return fields;
}
