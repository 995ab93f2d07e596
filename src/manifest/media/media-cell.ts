import type { Cell } from '../../domain/raw-row.js';
import type { Frame } from '../../domain/row.js';
import type { MediaColumn } from '../../kinds/rule.js';
import { nameFlaw } from '../names.js';
import { quoted } from '../problem.js';

/** What a media cell's text is, by its beginning. One letter and a colon is a Windows path, not a scheme. */
export function mediaForm(text: string): 'data' | 'url' | 'path' | 'row' {
  if (/^\s*@/.test(text)) return 'row';
  if (/^\s*data:/i.test(text)) return 'data';
  return /^\s*[a-z][a-z0-9+.-]+:/i.test(text) ? 'url' : 'path';
}

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

/** A media item that is the output of another row: `@id`, or a frame of it: `@id:first`, `@id:last`. */
export interface Reference {
  id: string;
  frame?: Frame;
}

/** What an item that begins with `@` refers to, or what is wrong with it. */
export function readReference(name: string, text: string): Reference | { message: string } {
  const [id = '', frame, ...rest] = text.trim().slice(1).split(':');
  if (nameFlaw(id) !== undefined) {
    return { message: `${name}: ${quoted(text)} names no row; a local file of that name is written ./${text.trim()}` };
  }
  if (frame === undefined) return { id };
  if (rest.length === 0 && (frame === 'first' || frame === 'last')) return { id, frame };
  return { message: `${name}: ${quoted(text)} names no frame; a frame is @${id}:first or @${id}:last` };
}

export function referenceText({ id, frame }: Reference): string {
  return frame === undefined ? `@${id}` : `@${id}:${frame}`;
}
