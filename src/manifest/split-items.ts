import type { Cell } from '../domain/raw-row.js';
import type { MediaColumn } from '../kinds/rule.js';
import { quoted } from './problem.js';

/** The items of a media cell, or why it has none that can be read. */
export type Items = { ok: true; items: string[] } | { ok: false; message: string };

/** One item for single columns; for list columns items separated by `|`, or a JSON array of strings. */
export function splitItems(column: MediaColumn, cell: Cell): Items {
  const { name } = column;
  if (column.many !== true) {
    if (cell.form === 'csv' || cell.form === 'string') return { ok: true, items: [cell.text] };
    return { ok: false, message: `${name} must be one URL, data: URI or path, got ${quoted(cell.text)}` };
  }
  const list = listOf(cell);
  if (list === undefined) {
    return {
      ok: false,
      message: `${name} must be a JSON array of strings or separated by |, got ${quoted(cell.text)}`,
    };
  }
  const empty = list.indexOf('');
  if (list.length === 0 || empty !== -1) {
    return {
      ok: false,
      message: list.length === 0 ? `${name} is an empty list` : `${name}: item ${empty + 1} is empty`,
    };
  }
  return { ok: true, items: list };
}

function listOf(cell: Cell): string[] | undefined {
  let value: unknown = cell.value;
  if (cell.form === 'csv' || cell.form === 'string') {
    if (!cell.text.trimStart().startsWith('[')) return cell.text.split('|').map((item) => item.trim());
    try {
      value = JSON.parse(cell.text);
    } catch {
      return undefined;
    }
  }
  if (!Array.isArray(value)) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}
