import type { Attempt } from '../../domain/attempt.js';
import type { Json } from '../../domain/json.js';
import type { Kind } from '../../domain/kind.js';
import type { Media, ResolvedMedia, Row } from '../../domain/row.js';
import { intentOf } from '../../domain/standing.js';
import { type RowSources, withFeeders } from '../../home/row-work.js';
import type { SubmitOptions } from '../../kinds/adapter.js';
import { adapterFor } from '../../kinds/index.js';
import { needsUrl } from '../../manifest/columns.js';

/**
 * The request of a row as it is sent, without what nobody may see (the key goes in a header, a callback's address is of
 * one attempt) and with a note where bytes stand; null for a row that no request can be made of.
 */
export function shownRequest(row: Row, options: Pick<SubmitOptions, 'responseFormat' | 'aliasPaths'>): Json {
  const adapter = adapterFor(row.kind);
  const media = Object.entries(row.media).map(([column, list]): [string, ResolvedMedia[]] => {
    return [column, list.map((one) => shownMedia(one, row.kind, column))];
  });
  try {
    const { method, path, body = null } = adapter.submitRequest(row, Object.fromEntries(media), options);
    return { method, path, body };
  } catch (error) {
    // As when it is sent: a body that cannot be built ends the row, which says so.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** With what fed it, as its last attempt was made: its row may have been edited since. One that was never tried, as it is now. */
export async function rowAsSent(
  sources: RowSources,
  batch: string,
  attempts: readonly Attempt[],
  now: Row,
): Promise<Row> {
  const made = attempts.map(intentOf).findLast((one) => one !== undefined);
  if (made === undefined) return now;
  const { generation, part, index, inputs } = made;
  // Of a manifest that cannot be read any more the row of today is the nearest.
  const stored = await sources.rows.readRow(batch, generation, part, index).catch(() => undefined);
  return stored === undefined ? now : (await withFeeders(sources, { batch, generation }, stored.row, inputs)).row;
}

function shownMedia(media: Media, kind: Kind, column: string): ResolvedMedia {
  if (media.source === 'blob') {
    const note = `(${media.bytes} bytes, sha256 ${media.sha256})`;
    // Where it goes as a URL, that is signed only when it is sent.
    if (needsUrl(kind, column, media.mediaType)) return { form: 'url', url: note };
    return { form: 'bytes', mediaType: media.mediaType, base64: note };
  }
  const where =
    media.source === 'url'
      ? media.url
      : `(the ${media.frame ?? 'output'}${media.frame ? ' frame' : ''} of row ${media.id})`;
  if (adapterFor(kind).bytesColumns?.includes(column) !== true) return { form: 'url', url: where };
  return { form: 'bytes', mediaType: 'application/octet-stream', base64: `(the bytes of ${where})` };
}
