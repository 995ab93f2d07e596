import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { Kind } from '../domain/kind.js';
import type { Cell, RawRow } from '../domain/raw-row.js';
import { factsOf, isKind, KINDS, usualModel } from '../kinds/facts.js';
import { rulesOf } from '../kinds/index.js';
import type { Column, DraftRow, MediaColumn, Report } from '../kinds/rule.js';
import { limitsInForce, readCell, textFlaw } from './cell-values.js';
import { columnsOf, isPassthrough, settledField } from './columns.js';
import { mediaForm, splitItems } from './media/media-cell.js';
import { NAME_RULE, nameFlaw } from './names.js';
import { quoted } from './problem.js';

/** A row whose own cells are checked; its media have been counted, not read. */
export interface CheckedRow extends DraftRow {
  group?: string;
  output?: string;
  passthrough?: Record<string, string>;
  mediaItems: { column: MediaColumn; cell: Cell; items: string[] }[];
}

export interface RowCheckOptions {
  defaultKind?: Kind;
}

/** Checks one row, column by column and across columns. A broken record, or a row without a known kind, is checked no further. */
export function checkRow(raw: RawRow, options: RowCheckOptions, report: Report): CheckedRow {
  const row = newRow(raw);
  if (raw.isBroken === true) return row;
  readId(row, raw, report);
  // A spreadsheet leaves such rows behind its last: what else they lack says nothing more.
  if (raw.cells.size === 0 && raw.findings.length === 0) return row;
  const kind = readKind(row, raw, options, report);
  readLabels(row, raw, report);
  if (kind === undefined) return row;
  row.kind = kind;
  const columns = columnsOf(kind);
  const rules = rulesOf(kind);
  for (const cell of raw.cells.values()) readColumn(row, cell, limitsInForce(columns.get(cell.name), raw), report);
  row.model = typeof row.cells.model === 'string' ? row.cells.model : modelWithout(row, usualModel(kind));
  for (const column of rules.columns) {
    if (column.required === true && !raw.cells.has(column.name) && !isFound(raw, column.name) && !isFed(raw, column)) {
      const { code, message } = column.missing ?? { code: 'B59', message: `${column.name} is required` };
      report.problem(row, code, column.name, message);
    }
  }
  for (const { check } of rules.checks ?? []) check(row, report);
  return row;
}

function newRow(raw: RawRow): CheckedRow {
  return {
    line: raw.line,
    id: '',
    kind: KINDS[0],
    model: '',
    filled: new Map(),
    cells: {},
    mediaCounts: new Map(),
    positionOf: raw.positionOf,
    bad: false,
    mediaItems: [],
  };
}

/** The model that the service takes when none is named; none when the row names a wrong one. */
function modelWithout(row: DraftRow, fallback: string): string {
  return row.filled.has('model') ? '' : fallback;
}

/** The cell was there, but its form was already refused. */
function isFound(raw: RawRow, name: string): boolean {
  return raw.findings.some((finding) => finding.field === name);
}

function isFed(raw: RawRow, { unlessFed }: Column): boolean {
  const text = unlessFed === undefined ? undefined : raw.cells.get(unlessFed)?.text;
  return text !== undefined && mediaForm(text) === 'row';
}

function readId(row: CheckedRow, raw: RawRow, report: Report): void {
  const cell = raw.cells.get('id');
  if (cell === undefined) {
    row.bad = true;
    const whole = raw.cells.size === 0 ? ': it is empty; take it out' : '';
    if (!isFound(raw, 'id')) report.problem(row, 'B10', 'id', `row needs a non-empty 'id'${whole}`);
    return;
  }
  row.id = cell.text;
  if (cell.form !== 'csv' && cell.form !== 'string') {
    report.problem(row, 'B12', 'id', `id must be a string, got ${quoted(cell.text)}`);
    return;
  }
  const flaw = nameFlaw(cell.text);
  if (flaw === undefined) return;
  const rule = flaw.includes(NAME_RULE) ? '' : `; it may use ${NAME_RULE}`;
  report.problem(row, 'B12', 'id', `id ${flaw}${rule}, got ${quoted(cell.text)}`);
}

function readKind(row: CheckedRow, raw: RawRow, options: RowCheckOptions, report: Report): Kind | undefined {
  const text = raw.cells.get('kind')?.text;
  if (text === undefined) {
    if (options.defaultKind !== undefined) return options.defaultKind;
    report.problem(row, 'B57', 'kind', 'row needs a kind, or give --kind for all rows');
    return undefined;
  }
  if (isKind(text)) return text;
  report.problem(row, 'B57', 'kind', `unknown kind ${quoted(text)}; known: ${KINDS.join(', ')}`);
  return undefined;
}

/** The columns that every row may have and that are not sent. */
function readLabels(row: CheckedRow, raw: RawRow, report: Report): void {
  for (const name of ['group', 'output'] as const) {
    const cell = raw.cells.get(name);
    if (cell === undefined) continue;
    const flaw = textFlaw(name, cell.text);
    if (flaw !== undefined) report.problem(row, flaw.code, name, flaw.message);
    else if (cell.form !== 'csv' && cell.form !== 'string') {
      report.problem(row, 'B60', name, `${name} must be a string, got ${quoted(cell.text)}`);
    } else row[name] = cell.text;
  }
}

function readColumn(row: CheckedRow, cell: Cell, column: Column | undefined, report: Report): void {
  const { name } = cell;
  if (name === 'id' || name === 'kind' || name === 'group' || name === 'output') return;
  if (isPassthrough(name)) {
    readPassthrough(row, cell, report);
    return;
  }
  if (name === 'extra' && !factsOf(row.kind).hasOwnBody) readExtra(row, cell, report);
  else if (column === undefined) refuseColumn(row, name, report);
  else readOwnColumn(row, cell, column, report);
}

/** It is not sent, but results.csv and failed.csv hold it, which must be text. */
function readPassthrough(row: CheckedRow, { name, text }: Cell, report: Report): void {
  const flaw = textFlaw(name, text);
  if (flaw !== undefined) {
    report.problem(row, flaw.code, name, flaw.message);
    return;
  }
  row.passthrough ??= {};
  row.passthrough[name] = text;
}

function readOwnColumn(row: CheckedRow, cell: Cell, column: Column, report: Report): void {
  row.filled.set(cell.name, cell);
  if (column.type === 'media') {
    readMediaCell(row, cell, column, report);
    return;
  }
  const value = readCell(column, cell);
  if (value.ok) row.cells[cell.name] = value.value;
  else report.problem(row, value.code, cell.name, value.message);
}

function refuseColumn(row: CheckedRow, name: string, report: Report): void {
  const rules = rulesOf(row.kind);
  const own = rules.refusedColumns?.[name];
  if (own !== undefined) {
    report.problem(row, own.code, name, own.message);
    return;
  }
  const taken = rules.columns.map((column) => column.name).join(', ');
  report.problem(row, 'B25', name, `${row.kind} does not take '${name}'; it takes: ${taken}`);
}

function readExtra(row: CheckedRow, cell: Cell, report: Report): void {
  const value = readCell({ name: 'extra', type: 'json', shape: 'object', help: '' }, cell);
  if (!value.ok) {
    report.problem(row, value.code, 'extra', value.message);
    return;
  }
  if (!isJsonObject(value.value)) return;
  const settled = settledField(value.value, rulesOf(row.kind).documentedFields) ?? ownColumn(row, value.value);
  if (settled !== undefined) {
    const message = `extra may not name '${settled}', which the documents settle for ${row.kind}; use the columns`;
    report.problem(row, 'B61', 'extra', message);
    return;
  }
  if (Object.keys(value.value).length > 0) row.extra = value.value;
}

/** A column's name is no field of the request where the documents call the field otherwise: sent, it would do nothing. */
function ownColumn({ kind }: CheckedRow, extra: JsonObject): string | undefined {
  const { documentedFields } = rulesOf(kind);
  return Object.keys(extra).find((name) => columnsOf(kind).has(name) && !Object.hasOwn(documentedFields, name));
}

function readMediaCell(row: CheckedRow, cell: Cell, column: MediaColumn, report: Report): void {
  const items = splitItems(column, cell);
  if (!items.ok) {
    report.problem(row, 'B60', column.name, items.message);
    return;
  }
  row.mediaCounts.set(column.name, items.items.length);
  row.mediaItems.push({ column, cell, items: items.items });
}
