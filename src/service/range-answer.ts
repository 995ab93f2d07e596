/** What the headers of a download promise: its length, its identity, and whether a part is the part that was asked for. */
import { areTooMany, encodingsOf } from './download-encoding.js';
import { DownloadError, discard, headerOf, type OpenAnswer, statusError, WrongFileError } from './vetted-request.js';

const CONTENT_RANGE = /^bytes (\d+)-(\d+)\/(\d+|\*)$/;

/** What one download knows of its file. */
export interface KnownFile {
  host: string;
  maxBytes: number;
  /** Bytes of the whole file, where it was announced. */
  total: number | undefined;
  /** A strong entity tag: equal tags mean equal bytes. */
  etag: string | undefined;
  /** Bytes that were handed out. */
  received: number;
}

/** What a whole answer says of the file. Throws a DownloadError, the answer discarded, for every other status or a bad promise. */
export function factsOfWhole(answer: OpenAnswer, host: string, maxBytes: number): Pick<KnownFile, 'total' | 'etag'> {
  const problem = problemOf(answer, host, maxBytes);
  // A length and a tag are those of the packed bytes: they say nothing of the file.
  if (problem === undefined && isPacked(answer)) return { total: undefined, etag: undefined };
  if (problem === undefined) return { total: wholeRange(answer) ?? lengthOf(answer), etag: strongTag(answer) };
  discard(answer);
  throw problem;
}

/** A second 200 must promise the file that was begun. */
export function checkSameFile(answer: OpenAnswer, file: KnownFile): void {
  const { total, etag } = factsOfWhole(answer, file.host, file.maxBytes);
  const isOther =
    (file.etag !== undefined && etag !== file.etag) ||
    (file.total !== undefined && total !== undefined && total !== file.total);
  if (!isOther) return;
  discard(answer);
  throw new WrongFileError(`${file.host} gives another file than before`);
}

/** True for a 206 that goes on exactly where the file broke off. */
export function isWantedRange(answer: OpenAnswer, file: KnownFile): boolean {
  const range = CONTENT_RANGE.exec(headerOf(answer, 'content-range') ?? '');
  if (range === null || Number(range[1]) !== file.received || isPacked(answer)) return false;
  if (file.total !== undefined && range[3] !== '*' && Number(range[3]) !== file.total) return false;
  const etag = headerOf(answer, 'etag');
  return etag === undefined || etag === file.etag;
}

function problemOf(answer: OpenAnswer, host: string, maxBytes: number): DownloadError | undefined {
  if (!isWholeStatus(answer) && wholeRange(answer) === undefined) return statusError(answer, host);
  const encodings = encodingsOf(answer.headers['content-encoding']);
  if (areTooMany(encodings)) return new DownloadError('not_media', `${host} answers ${encodings.join(', ')}-encoded`);
  const total = wholeRange(answer) ?? lengthOf(answer);
  if (total === 0) return new WrongFileError(`${host} gave no bytes`);
  return total !== undefined && total > maxBytes ? tooLarge(host, maxBytes) : undefined;
}

export function tooLarge(host: string, maxBytes: number): DownloadError {
  return new DownloadError('too_large', `${host} gives more than ${maxBytes} bytes`);
}

/** We ask for the bytes as they are; some send them packed all the same. */
function isPacked(answer: OpenAnswer): boolean {
  return encodingsOf(answer.headers['content-encoding']).length > 0;
}

/** Statuses with the whole file: a proxy that changed something on the way gives it as 203, some stores as 201. */
export function isWholeStatus({ statusCode }: OpenAnswer): boolean {
  return statusCode === 200 || statusCode === 201 || statusCode === 203;
}

/**
 * The bytes of a 206 that is the whole file although no part was asked for; undefined for a part, and for a 200. Where it
 * leaves the file's length open (`*`) its own is taken: what is whole, the container's lengths tell in the end.
 */
function wholeRange(answer: OpenAnswer): number | undefined {
  if (answer.statusCode !== 206 || isPacked(answer)) return undefined;
  const range = CONTENT_RANGE.exec(headerOf(answer, 'content-range') ?? '');
  if (range?.[1] !== '0') return undefined;
  const bytes = Number(range[2]) + 1;
  const total = range[3] === '*' ? (lengthOf(answer) ?? bytes) : Number(range[3]);
  return bytes === total ? total : undefined;
}

function lengthOf(answer: OpenAnswer): number | undefined {
  const length = headerOf(answer, 'content-length');
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
}

function strongTag(answer: OpenAnswer): string | undefined {
  const etag = headerOf(answer, 'etag');
  return etag !== undefined && /^"[^"]*"$/.test(etag) ? etag : undefined;
}
