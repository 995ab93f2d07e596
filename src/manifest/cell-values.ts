import { isJsonObject, type Json } from '../domain/json.js';
import type { Cell, ProblemCode, RawRow } from '../domain/raw-row.js';
import type { ChoiceColumn, Column, JsonColumn, MediaColumn, NumberColumn, TextColumn } from '../kinds/rule.js';
import { orList } from '../kinds/rule-helpers.js';
import { quoted, showText } from './problem.js';

/** A cell read as its column says, or the code and sentence of what is wrong with it. */
export type CellValue = { ok: true; value: Json } | { ok: false; code: ProblemCode; message: string };

/** Reads one filled cell; media cells have their own reader. */
export function readCell(column: Exclude<Column, MediaColumn>, cell: Cell): CellValue {
  switch (column.type) {
    case 'text':
      return readText(column, cell);
    case 'choice':
      return readChoice(column, cell);
    case 'integer':
    case 'decimal':
      return readNumber(column, cell);
    case 'boolean':
      return readBoolean(column.name, cell);
    case 'json':
      return readJson(column, cell);
    default:
      return column satisfies never;
  }
}

/** The column as the row has it: what the service ignores beside another column breaks no limit, only its form is read. */
export function limitsInForce(column: Column | undefined, { cells }: RawRow): Column | undefined {
  if (column?.ignoredWith === undefined || !cells.has(column.ignoredWith)) return column;
  if (column.type === 'text') {
    const { maxCharacters: _, ...free } = column;
    return free;
  }
  if (column.type !== 'integer') return column;
  const { min: _min, max: _max, ...free } = column;
  return free;
}

const PLAIN_INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const PLAIN_DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

function good(value: Json): CellValue {
  return { ok: true, value };
}

function bad(code: ProblemCode, message: string): CellValue {
  return { ok: false, code, message };
}

function readText(column: TextColumn, cell: Cell): CellValue {
  const { name, maxCharacters } = column;
  if (cell.form !== 'csv' && cell.form !== 'string') {
    return bad('B60', `${name} must be a string, got ${showText(cell.text)}`);
  }
  const flaw = textFlaw(name, cell.text);
  if (flaw !== undefined) return flaw;
  if (cell.text.trim() === '') return bad('B59', `${name} has only blanks`);
  if (maxCharacters !== undefined && cell.text.length > maxCharacters) {
    const characters = charactersOf(cell.text);
    if (characters > maxCharacters) {
      return bad(column.code ?? 'B26', `${name} is ${characters} characters, limit ${maxCharacters}`);
    }
  }
  return good(cell.text);
}

/** Text that cannot be sent as UTF-8, or a NUL; JSONL can hold both by escapes. */
export function textFlaw(name: string, text: string): { ok: false; code: ProblemCode; message: string } | undefined {
  if (text.includes('\u0000')) return { ok: false, code: 'B4', message: `${name} holds a NUL character` };
  if (/\p{Surrogate}/u.test(text)) {
    return { ok: false, code: 'B3', message: `${name} is not valid Unicode (half of a surrogate pair)` };
  }
  return undefined;
}

/** Unicode characters (code points), the way the documents' limits are read. */
export function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function readChoice(column: ChoiceColumn, cell: Cell): CellValue {
  const isText = cell.form === 'csv' || cell.form === 'string';
  if (isText && column.choices.includes(cell.text)) return good(cell.text);
  if (column.code === 'B13') {
    return bad('B13', `unknown model ${quoted(cell.text)}; known: ${column.choices.join(', ')}`);
  }
  return bad(column.code ?? 'B58', `${column.name} must be ${orList(column.choices)}, got ${quoted(cell.text)}`);
}

function readNumber(column: NumberColumn, cell: Cell): CellValue {
  const { name, type, unit = '' } = column;
  const malformedCode = column.malformedCode ?? 'B16';
  const range = rangeText(column);
  const pattern = type === 'integer' ? PLAIN_INTEGER : PLAIN_DECIMAL;
  const isNumber =
    cell.form === 'csv' || cell.form === 'number' || (cell.form === 'string' && column.sentAs === 'string');
  if (!isNumber || !pattern.test(cell.text)) {
    const shape = type === 'integer' ? 'a plain integer' : 'a plain decimal';
    const what = range === undefined ? '' : ` (${range}${unit})`;
    return bad(malformedCode, `${name} must be ${shape}${what}, got ${quoted(cell.text)}${formNote(cell)}`);
  }
  const value = Number(cell.text);
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isSafeInteger(value))) {
    return bad(malformedCode, `${name} is too large to be sent exactly: ${quoted(cell.text)}`);
  }
  if (range !== undefined && !inRange(column, value)) {
    return bad(column.code ?? 'B62', `${name} must be ${range}${unit}, got ${quoted(cell.text)}`);
  }
  return good(Object.is(value, -0) ? 0 : value);
}

/** `1-8192` or `4, 6 or 8`; undefined where the documents give no range. */
export function rangeText(column: NumberColumn): string | undefined {
  if (column.allowed !== undefined) return orList(column.allowed);
  if (column.min === undefined || column.max === undefined) return undefined;
  return `${column.min}-${column.max}`;
}

function inRange(column: NumberColumn, value: number): boolean {
  if (column.allowed !== undefined) return column.allowed.includes(value);
  return value >= (column.min ?? value) && value <= (column.max ?? value);
}

function formNote(cell: Cell): string {
  return cell.form === 'string' ? ' as a string' : '';
}

function readBoolean(name: string, cell: Cell): CellValue {
  // Every spreadsheet saves a cell with true in it as TRUE.
  const text = cell.form === 'csv' && /^(?:TRUE|FALSE)$/.test(cell.text) ? cell.text.toLowerCase() : cell.text;
  const native = cell.form === 'csv' || cell.form === 'boolean';
  if (native && (text === 'true' || text === 'false')) return good(text === 'true');
  return bad('B58', `${name} must be true or false, got ${quoted(cell.text)}${formNote(cell)}`);
}

const JSON_DEPTH_MAX = 64;

function readJson(column: JsonColumn, cell: Cell): CellValue {
  const { name, shape } = column;
  const value = cell.form === 'json' ? cell.value : parsed(cell);
  const isShape = shape === 'list' ? Array.isArray(value) : isJsonObject(value);
  if (value === undefined || !isShape) {
    const wanted = shape === 'list' ? 'a JSON array' : 'a JSON object';
    return bad(column.code ?? 'B60', `${name} must be ${wanted}, got ${quoted(cell.text)}`);
  }
  const flaw = jsonFlaw(value) ?? repeatedName(cell.text, value);
  return flaw === undefined ? good(value) : bad('B60', `${name} ${flaw}`);
}

function parsed(cell: Cell): Json | undefined {
  if (cell.form !== 'csv' && cell.form !== 'string') return undefined;
  try {
    return JSON.parse(cell.text) as Json;
  } catch {
    return undefined;
  }
}

const JSON_NAME = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** Of a name that stands twice in an object only the last value would be sent. */
function repeatedName(text: string, root: Json): string | undefined {
  let written = 0;
  for (const [, colon] of text.matchAll(JSON_NAME)) written += colon === undefined ? 0 : 1;
  let kept = 0;
  const open: Json[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) kept += Object.keys(next).length;
    for (const inner of Object.values(next)) open.push(inner);
  }
  return written === kept ? undefined : 'has a name twice in one object';
}

/** JSON that could not be sent as it is written, or that would overflow whoever walks it. */
function jsonFlaw(root: Json): string | undefined {
  const open: { value: Json; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'number') {
      const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
      if (!exact) return 'holds a number that is too large to be sent exactly';
    }
    if (typeof value === 'string' && textFlaw('', value) !== undefined) return 'holds text that cannot be sent';
    if (typeof value !== 'object' || value === null) continue;
    if (depth > JSON_DEPTH_MAX) return `is nested deeper than ${JSON_DEPTH_MAX} levels`;
    if (!Array.isArray(value) && Object.hasOwn(value, '__proto__')) return "may not hold a field '__proto__'";
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
  return undefined;
}
