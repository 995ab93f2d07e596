import type { Frame } from '../../domain/row.js';
import { nameFlaw } from '../ids.js';
import { quoted } from '../problem.js';

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
