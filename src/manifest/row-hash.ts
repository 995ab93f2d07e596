import { hash } from 'node:crypto';
import { defined } from '../domain/defined.js';
import type { Json } from '../domain/json.js';
import type { FedMedia, Media, Row } from '../domain/row.js';

/** Another one makes every earlier render unknown. */
export const RENDER_KEY_VERSION = 1;

/** JSON with the fields of every object in sorted order: equal values give equal text. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

/** What makes two requests the same: kind, cells, media (by URL, content or the id of a row) and extra. */
export function rowHash(row: Pick<Row, 'kind' | 'cells' | 'media' | 'extra'>): string {
  const { kind, cells, extra } = row;
  const media = Object.fromEntries(Object.entries(row.media).map(([name, items]) => [name, items.map(subjectOf)]));
  return sha256({ kind, cells, media, ...defined({ extra }) });
}

/** The hash of a row that others feed: a changed portrait is a changed avatar. `feeders` as its media name them. */
export function fedHash(own: string, feeders: readonly string[]): string {
  return hash('sha256', [own, ...feeders].join('\n'));
}

/**
 * What tells a render whatever row, batch or file name it had: the request's own fields and the bytes of its inputs.
 * `fedBytes` gives the sha256 of what another row feeds; undefined while one of those is not known.
 */
export function renderKey(
  row: Pick<Row, 'kind' | 'cells' | 'media' | 'extra'>,
  fedBytes: (media: FedMedia) => string | undefined,
): string | undefined {
  const media: Record<string, Json> = {};
  for (const [name, items] of Object.entries(row.media)) {
    const inputs = items.map((item) => (item.source === 'row' ? bytesOf(item, fedBytes(item)) : subjectOf(item)));
    if (inputs.includes(null)) return undefined;
    media[name] = inputs;
  }
  const { kind, cells, extra } = row;
  return sha256({ version: RENDER_KEY_VERSION, kind, cells, media, ...defined({ extra }) });
}

function sha256(subject: Json): string {
  return hash('sha256', canonicalJson(subject));
}

/** The same as for a file of those bytes. */
function bytesOf({ frame }: FedMedia, sha256: string | undefined): Json {
  return sha256 === undefined ? null : { sha256, ...defined({ frame }) };
}

function subjectOf(item: Media): Json {
  switch (item.source) {
    case 'url':
      return { url: item.url };
    case 'blob':
      return { sha256: item.sha256 };
    case 'row':
      return { row: item.id, ...defined({ frame: item.frame }) };
  }
}
