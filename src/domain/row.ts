import type { Json, JsonObject } from './json.js';
import type { Kind } from './kind.js';

/**
 * One media input of a row: a URL that the service fetches (or `s3://bucket/key`, signed for it at the submit), bytes
 * kept in the home under their content hash, or what another row renders. `seconds` is how long a clip or a track is,
 * where its bytes show it; rows that an older build wrote have none.
 */
export type Media =
  | { source: 'url'; url: string }
  | { source: 'blob'; sha256: string; mediaType: string; bytes: number; seconds?: number }
  | FedMedia;

/** The output of row `id` of the same manifest, or a frame of it. */
export interface FedMedia {
  source: 'row';
  id: string;
  /** The index of the row that renders it: that row itself, or the one whose render it shares. */
  at: number;
  frame?: Frame;
}

/** The file of another row that a request was made with. */
export interface FedInput {
  row: string;
  sha256: string;
}

export type Frame = 'first' | 'last';

/** What other rows feed into a row, in the order of its columns. */
export function fedMedia({ media }: Pick<Row, 'media'>): FedMedia[] {
  return Object.values(media).flatMap((list) => list.filter((item) => item.source === 'row'));
}

/**
 * One validated manifest row in normal form: what `run` writes to the home and what a vendor turns into a request.
 * `cells` holds the filled columns that the kind takes, typed (integers and decimals as numbers, booleans, parsed
 * JSON cells); `media` holds the media columns, always as a list in the manifest's order.
 */
export interface Row {
  /** 0-based position in the generation; results come out in this order. */
  index: number;
  /** 1-based line of the manifest where the record starts. */
  line: number;
  id: string;
  kind: Kind;
  group?: string;
  /** File name without extension, relative to the batch's media folder, `/`-separated, already slugged. */
  stem: string;
  cells: Record<string, Json>;
  media: Record<string, Media[]>;
  /** Deep-merged into the request body for fields that the documents do not show. */
  extra?: JsonObject;
  /** `x-…` columns, passed through to the results. */
  passthrough?: Record<string, string>;
  /** The index of an earlier row with the same request, whose render this row shares. */
  shares?: number;
  /** sha256 (hex) over kind, cells, media hashes, the hashes of the rows that feed it, and extra: what makes two requests the same. */
  hash: string;
}

/** Media with its bytes at hand, made just before the submit. */
export type ResolvedMedia = { form: 'url'; url: string } | { form: 'bytes'; mediaType: string; base64: string };

/** The resolved media of one row by column. */
export type ResolvedMediaSet = Record<string, ResolvedMedia[]>;
