/** How requests are put together and answers taken apart, for every family alike: pure, total, no family's name. */
import type { z } from 'zod';
import type { Answer } from '../domain/exchange.js';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import type { ResolvedMedia, ResolvedMediaSet, Row } from '../domain/row.js';

/** What may stand unencoded in one path segment (RFC 3986, `pchar`), so that handles go out as verbatim as can be. */
const PATH_CHARACTER = /^[A-Za-z0-9\-._~!$&'()*+,;=:@]$/;

/** The JSON value of a body, whatever blanks or marks stand around it; undefined when it is not UTF-8 or not JSON. */
export function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body).trim());
  } catch {
    return undefined;
  }
}

/** The body as the schema sees it; undefined when it is no JSON or does not fit. */
export function readAs<Schema extends z.ZodType>(schema: Schema, answer: Answer): z.output<Schema> | undefined {
  const read = schema.safeParse(readJson(answer.body));
  return read.success ? read.data : undefined;
}

/**
 * One path segment out of any text. The only place where path parts are encoded: what is encoded already goes out as it
 * is, since a handle is sent verbatim (service document 2, Avatar video).
 */
export function segment(text: string): string {
  if (/^(?:\.|%2e){1,2}$/i.test(text)) return text.replaceAll('%', '%25').replaceAll('.', '%2E');
  const encoded = Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return PATH_CHARACTER.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
  return encoded.replace(/%25(?=[0-9a-f]{2})/gi, '%');
}

/** What whoever reads a path takes a segment for: escapes of a handle stand for what they mean. */
export function readSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The object without its undefined fields: a cell that is not filled is not sent. */
export function fields(values: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** The row's filled cells of these columns, under the same names. */
export function columns(row: Row, names: readonly string[]): JsonObject {
  return fields(Object.fromEntries(names.map((name) => [name, row.cells[name]])));
}

/** The object, or undefined when it has no fields. */
export function unlessEmpty(values: JsonObject): JsonObject | undefined {
  return Object.keys(values).length > 0 ? values : undefined;
}

/** The body with the row's `extra` merged in last: objects field by field, everything else replaced. */
export function withExtra(body: JsonObject, extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return body;
  const merged = new Map(Object.entries(body));
  for (const [name, value] of Object.entries(extra)) {
    const current = merged.get(name);
    merged.set(name, isJsonObject(current) && isJsonObject(value) ? withExtra(current, value) : value);
  }
  return Object.fromEntries(merged);
}

/** A filled number cell as the string that some fields ask for. */
export function asText(cell: Json | undefined): string | undefined {
  return cell === undefined ? undefined : String(cell);
}

/** The first medium of a column. */
export function one(media: ResolvedMediaSet, column: string): ResolvedMedia | undefined {
  return media[column]?.[0];
}

/** All media of a column. */
export function all(media: ResolvedMediaSet, column: string): ResolvedMedia[] {
  return media[column] ?? [];
}

/** A URL, or the bytes as base64 without a `data:` prefix. */
export function urlOrRaw(medium: ResolvedMedia): string {
  return medium.form === 'url' ? medium.url : medium.base64;
}

/** A URL, or the bytes as a `data:` URI. */
export function urlOrDataUri(medium: ResolvedMedia): string {
  return medium.form === 'url' ? medium.url : `data:${medium.mediaType};base64,${medium.base64}`;
}

/**
 * The URL, where the field takes nothing else. The manifest refuses such rows and uploads local files first, so other
 * media here are a defect of ours: thrown, before anything is claimed or sent.
 */
export function urlOnly(medium: ResolvedMedia, row: Row, column: string): string {
  if (medium.form !== 'url') throw new TypeError(`${row.kind}: '${column}' is sent as a URL, got bytes`);
  return medium.url;
}

/** The required media of a column, for a row that the manifest accepted. */
export function required(media: ResolvedMediaSet, row: Row, column: string): ResolvedMedia {
  const medium = one(media, column);
  if (medium === undefined) throw new TypeError(`${row.kind}: '${column}' is required`);
  return medium;
}
