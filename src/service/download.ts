/** Fetches an output as a stream that is whole or fails: broken connections are resumed, wrong bodies are refused. */
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import { defined } from '../domain/defined.js';
import { parseUrl } from '../domain/parse-url.js';
import { type RateLimits, readSteadily } from './download-body.js';
import { encodingsOf, unpacked } from './download-encoding.js';
import { createVettedConnector } from './public-address.js';
import { checkSameFile, factsOfWhole, isWantedRange, isWholeStatus, type KnownFile, tooLarge } from './range-answer.js';
import {
  DownloadError,
  discard,
  headerOf,
  type OpenAnswer,
  statusError,
  type VettedGet,
  vettedGet,
  WrongFileError,
} from './vetted-request.js';

export { DownloadError } from './vetted-request.js';

export interface DownloaderOptions {
  /** Loopback addresses too, also over http: for a loopback service. */
  allowLoopback: boolean;
  userAgent: string;
  /** What an output's URL without a host is taken relative to: the service gave it. */
  baseUrl?: string;
  /** Default 4 GiB. */
  maxBytes?: number;
  /** Over each window of waiting for bytes; default 1,024. */
  minBytesPerSecond?: number;
  /** Default 30 s. */
  rateWindowMs?: number;
  /** Without a byte; default 30 s. */
  idleTimeoutMs?: number;
  /** Default 30 s. */
  headersTimeoutMs?: number;
  /** Default 10 s. */
  connectTimeoutMs?: number;
  /** How often in a row one call goes on after connections that broke without bringing it further; default 4. */
  resumesMax?: number;
}

export interface Download {
  contentType: string | undefined;
  /** As announced; the stream fails when it gives another number of bytes. */
  contentLength?: number;
  etag?: string;
  /** Once. Throws a DownloadError where it cannot go on; ends only with the last byte. */
  stream: AsyncIterable<Uint8Array>;
}

export interface Downloader {
  /** Opens an output URL. Throws a DownloadError; an aborted `signal` throws its reason, also out of the stream. */
  fetchOutput(url: string, options?: { signal?: AbortSignal }): Promise<Download>;
  /** The same for a row's input, which may also be http (design: the manifest). */
  fetchInput(url: string): Promise<Download>;
  close(): Promise<void>;
}

/** One call. */
interface Fetch extends KnownFile {
  url: string;
  how: VettedGet;
  rate: RateLimits;
  resumesMax: number;
  /** Over what was handed out, where no strong tag vouches that a second answer has the same bytes. */
  handedOut: Hash | undefined;
}

export function createDownloader(options: DownloaderOptions): Downloader {
  const { allowLoopback, userAgent, connectTimeoutMs = 10_000, headersTimeoutMs = 30_000 } = options;
  const { maxBytes = 4 * 1024 ** 3, minBytesPerSecond = 1_024, rateWindowMs = 30_000 } = options;
  const { idleTimeoutMs = 30_000, resumesMax = 4, baseUrl } = options;
  const agentFor = (allowPlain: boolean) =>
    new Agent({
      connect: createVettedConnector({ allowLoopback, connectTimeoutMs, allowPlain }),
      headersTimeout: headersTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      allowH2: false,
    });
  const outputs = agentFor(false);
  const inputs = agentFor(true);
  const fetch = async (url: string, how: VettedGet): Promise<Download> => {
    const first = await vettedGet(url, {}, how);
    const host = new URL(url).hostname;
    const { total, etag } = factsOfWhole(first, host, maxBytes);
    const handedOut = etag === undefined ? createHash('sha256') : undefined;
    const rate = { minBytesPerSecond, rateWindowMs };
    const one: Fetch = { url, host, how, rate, maxBytes, resumesMax, total, etag, received: 0, handedOut };
    return {
      contentType: headerOf(first, 'content-type'),
      ...defined({ contentLength: total, etag }),
      stream: wholeFile(one, first),
    };
  };
  return {
    fetchOutput: async (url, { signal } = {}) =>
      inUrl(url, maxBytes) ?? fetch(withHost(url, baseUrl), { dispatcher: outputs, userAgent, allowLoopback, signal }),
    fetchInput: (url) => fetch(url, { dispatcher: inputs, userAgent, allowLoopback, allowPlain: true }),
    close: async () => {
      await Promise.all([outputs.destroy(), inputs.destroy()]);
    },
  };
}

/** An absolute URL stays as it is, to the letter: it may be signed. */
function withHost(url: string, baseUrl: string | undefined): string {
  return parseUrl(url) === undefined ? (parseUrl(url, baseUrl)?.href ?? url) : url;
}

/** The file of a `data:` URI, which is fetched from nowhere. */
function inUrl(url: string, maxBytes: number): Download | undefined {
  const [, contentType, base64] = /^data:([^,;]*)[^,]*;base64,([A-Za-z0-9+/\s]+={0,2})\s*$/i.exec(url) ?? [];
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > maxBytes) throw tooLarge('the URL itself', maxBytes);
  return { contentType, contentLength: bytes.length, stream: Readable.from([bytes]) };
}

/** Where something on the way ends every connection after so long, a film that was begun anew would never come whole. */
const PROGRESS_BYTES = 1 << 20;
async function* wholeFile(fetch: Fetch, first: OpenAnswer): AsyncIterable<Uint8Array> {
  const { signal } = fetch.how;
  for (let resumes = 0, answer: OpenAnswer | undefined = first; ; resumes++, answer = undefined) {
    const { received } = fetch;
    try {
      answer ??= await reopen(fetch);
      yield* newBytes(fetch, answer);
      checkEnd(fetch);
      return;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (fetch.received - received >= PROGRESS_BYTES) resumes = 0;
      if (resumes >= fetch.resumesMax || !canGoOn(error)) throw error;
    }
  }
}

/** The rest by range where a strong tag makes that safe; else, or where the range is not honoured, all again. */
async function reopen(fetch: Fetch): Promise<OpenAnswer> {
  const { url, host, how, etag, received } = fetch;
  if (etag !== undefined && received > 0) {
    const part = await vettedGet(url, { range: `bytes=${received}-`, 'if-range': etag }, how);
    if (part.statusCode === 206 && isWantedRange(part, fetch)) return part;
    if (isWholeStatus(part)) {
      checkSameFile(part, fetch);
      return part;
    }
    discard(part);
    if (part.statusCode !== 206 && part.statusCode !== 416) throw statusError(part, host);
  }
  const again = await vettedGet(url, {}, how);
  checkSameFile(again, fetch);
  return again;
}

/** Hands out what comes after the bytes that were handed out before; those must be the same again. */
async function* newBytes(fetch: Fetch, answer: OpenAnswer): AsyncIterable<Uint8Array> {
  const { host, maxBytes, handedOut } = fetch;
  let left = answer.statusCode === 206 && isWantedRange(answer, fetch) ? 0 : fetch.received;
  const again = left > 0 && handedOut !== undefined ? createHash('sha256') : undefined;
  for await (const chunk of bodyOf(fetch, answer)) {
    const known = chunk.subarray(0, left);
    if (known.length > 0) again?.update(known);
    left -= known.length;
    if (known.length > 0 && left === 0 && again?.digest('hex') !== handedOut?.copy().digest('hex')) {
      throw new WrongFileError(`${host} gives another file than before`);
    }
    const fresh = chunk.subarray(known.length);
    if (fresh.length === 0) continue;
    if (fetch.received + fresh.length > maxBytes) throw tooLarge(host, maxBytes);
    fetch.received += fresh.length;
    handedOut?.update(fresh);
    yield fresh;
  }
  if (left > 0) throw new DownloadError('short', `${host} broke off before the place reached before`);
}

/** The file's own bytes, also where they were packed on the way. */
function bodyOf({ host, rate }: Fetch, answer: OpenAnswer): AsyncIterable<Uint8Array> {
  const encodings = encodingsOf(answer.headers['content-encoding']);
  const sent = readSteadily(answer.body, host, rate);
  return encodings.length === 0 ? sent : unpacked(sent, encodings, host);
}

function checkEnd({ received, total, host }: Fetch): void {
  if (received === 0) throw new WrongFileError(`${host} gave no bytes`);
  if (total !== undefined && received !== total) {
    throw new DownloadError('short', `${host} gave ${received} of ${total} bytes`);
  }
}

/** A broken connection or a server in trouble may do better at once; what was refused will be refused again. */
function canGoOn(error: unknown): boolean {
  if (!(error instanceof DownloadError) || error instanceof WrongFileError) return false;
  return error.reason === 'short' || error.reason === 'unreachable' || (error.status ?? 0) >= 500;
}
