import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../domain/json.js';
import { formatCredits } from '../domain/money.js';
import type { RowRecord } from '../domain/outcome.js';
import { parseUrl } from '../domain/parse-url.js';
import type { Media, Row } from '../domain/row.js';
import { encodeJson } from './json-file.js';
import type { Store } from './port.js';

/** A small JSON file beside each output that says how it was made: for people and tools that see the file alone. */

/** A longer text in a request is bytes of some sort, or a whole document: its hash says enough. */
const TEXT_MAX = 8_000;

/** A file of another row that fed this one. */
export interface FedFile {
  row: string;
  /** Relative to the batch's folder; absent where it is not the row's file any more. */
  file?: string;
  sha256: string;
}

/** What a sidecar says; the same for the same record, so that writing it again changes nothing. */
export function sidecarOf(row: Row, record: RowRecord, model: string, inputs: readonly FedFile[] = []): JsonObject {
  const media = Object.entries(row.media).map(([column, list]): [string, Json] => [column, list.map(mediaText)]);
  return {
    schema: 1,
    id: row.id,
    kind: row.kind,
    model: model === '' ? null : model,
    request: {
      ...(withoutBytes(row.cells) as JsonObject),
      ...Object.fromEntries(media),
      ...(row.extra === undefined ? {} : { extra: withoutBytes(row.extra) }),
    },
    ...(inputs.length === 0 ? {} : { inputs: inputs.map((input): Json => ({ ...input })) }),
    seed: record.seed ?? null,
    revised_prompt: record.revisedPrompt ?? null,
    handle: record.handle ?? null,
    credits: record.creditsNano === undefined ? null : formatCredits(record.creditsNano),
    credits_basis: record.creditsBasis,
    warnings: record.warnings,
    ...(record.reusedFrom === undefined ? {} : { reused_from: record.reusedFrom }),
    row_hash: record.rowHash,
  };
}

/**
 * Writes `<file>.json` beside every output of the record; another file of that name is kept and stepped around. Gives
 * the keys of those that were not there.
 */
export async function writeSidecars(
  store: Store,
  batch: string,
  record: RowRecord,
  sidecar: JsonObject,
): Promise<string[]> {
  const written: string[] = [];
  for (const [i, { file, bytes, sha256, contentType }] of record.files.entries()) {
    const base = `${batch}/${file}`;
    const text = encodeJson({ ...sidecar, file, content_type: contentType, bytes, sha256 });
    const { key, wasThere } = await store.putStream(`${base}.json`, once(text), {
      attemptName: `sidecar-${record.id}-${i}`,
      ifExists: 'fail',
      nextKey: (n) => `${base}.v${n}.json`,
    });
    if (!wasThere) written.push(key);
  }
  return written;
}

/** A URL may be signed: its query is a key to the file, so only its place is told. */
function mediaText(media: Media): Json {
  if (media.source === 'blob') return { sha256: media.sha256, media_type: media.mediaType, bytes: media.bytes };
  if (media.source === 'row') return { row: media.id, ...(media.frame === undefined ? {} : { frame: media.frame }) };
  const url = parseUrl(media.url);
  return { url: url === undefined ? null : `${url.origin}${url.pathname}` };
}

function withoutBytes(value: Json): Json {
  if (typeof value === 'string') return value.length > TEXT_MAX ? shortened(value) : value;
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutBytes(inner)]));
}

function shortened(text: string): Json {
  return { characters: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
