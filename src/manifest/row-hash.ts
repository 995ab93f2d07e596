import { createHash } from 'node:crypto';
import type { Json } from '../domain/json.js';
import type { Row } from '../domain/row.js';

/** JSON with the fields of every object in sorted order: equal values give equal text. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

/** What makes two requests the same: kind, cells, media (by URL or content) and extra. */
export function rowHash(row: Pick<Row, 'kind' | 'cells' | 'media' | 'extra'>): string {
  const media: Record<string, Json> = {};
  for (const [name, items] of Object.entries(row.media)) {
    media[name] = items.map((item) => (item.source === 'url' ? { url: item.url } : { sha256: item.sha256 }));
  }
  const subject: Json = { kind: row.kind, cells: row.cells, media };
  if (row.extra !== undefined) subject.extra = row.extra;
  return createHash('sha256').update(canonicalJson(subject)).digest('hex');
}
