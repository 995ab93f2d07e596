/**
 * Requests to hosts that are not the service: one GET of an output URL, with at most three redirects, each as carefully
 * vetted as the first address; one POST to a webhook of the user.
 */

import { Agent, type Dispatcher, errors, request } from 'undici';
import { parseUrl } from '../domain/parse-url.js';
import { createVettedConnector, ForbiddenAddressError, isLoopbackAddress } from './public-address.js';

const REDIRECTS_MAX = 3;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const EXPIRED_STATUSES = new Set([403, 404, 410]);

export interface VettedGet {
  dispatcher: Dispatcher;
  userAgent: string;
  allowLoopback: boolean;
  /** http to public hosts too; else https alone. */
  allowPlain?: boolean;
  /** Default 3. */
  redirectsMax?: number;
  signal?: AbortSignal | undefined;
}

export type OpenAnswer = Dispatcher.ResponseData;

/**
 * Carries no key, no cookie and no credentials. Gives the answer with its body unread, whatever its status but a
 * redirect; throws a DownloadError when no answer came or an address is not allowed.
 */
export async function vettedGet(url: string, headers: Record<string, string>, how: VettedGet): Promise<OpenAnswer> {
  const { redirectsMax = REDIRECTS_MAX } = how;
  let target = vetUrl(url, undefined, how);
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const answer = await send(target, headers, how);
    if (!REDIRECT_STATUSES.has(answer.statusCode)) return answer;
    discard(answer);
    const location = headerOf(answer, 'location');
    if (location === undefined) {
      throw new DownloadError('http', `${target.hostname} redirects without an address`, answer.statusCode);
    }
    target = vetUrl(location, target, how);
  }
  const often = redirectsMax === 0 ? 'redirects, which is not followed' : `redirects more than ${redirectsMax} times`;
  throw new DownloadError('http', `${new URL(url).hostname} ${often}`);
}

/** The DownloadError for a status that gives no body to keep. */
export function statusError(answer: OpenAnswer, host: string): DownloadError {
  const { statusCode } = answer;
  const reason = EXPIRED_STATUSES.has(statusCode) ? 'expired' : 'http';
  return new DownloadError(reason, `${host} answered ${statusCode}`, statusCode);
}

/** The first value of a header. */
export function headerOf(answer: OpenAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Closes the connection of an answer whose body nobody wants. */
export function discard(answer: OpenAnswer): void {
  answer.body.destroy();
}

async function send(target: URL, headers: Record<string, string>, how: VettedGet): Promise<OpenAnswer> {
  try {
    const answer = await request(target, {
      method: 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': how.userAgent, ...headers },
      dispatcher: how.dispatcher,
      signal: how.signal ?? null,
    });
    // A body may break before anybody reads it; the reader is told then, and without a listener the process would end.
    answer.body.on('error', () => undefined);
    return answer;
  } catch (error) {
    if (how.signal?.aborted === true) throw how.signal.reason;
    if (error instanceof ForbiddenAddressError) throw new DownloadError('forbidden_address', error.message);
    const broken = brokenHttp(error);
    const what = broken === undefined ? 'cannot be reached' : `was reached, but its answer breaks HTTP: ${broken}`;
    throw new DownloadError('unreachable', `${target.hostname} ${what} (${codeOf(error)})`);
  }
}

/** How an answer breaks HTTP; undefined for an error that says nothing of an answer. */
function brokenHttp(error: unknown): string | undefined {
  switch (codeOf(error)) {
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return 'what it sends does not have the length that it gives';
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'its headers are too long';
  }
  if (!(error instanceof errors.HTTPParserError)) return undefined;
  // The parser has a fixed sentence for each of its reasons, which quotes nothing.
  return /\(([\w ,/-]{1,80})\)$/.exec(error.message)?.[1] ?? 'it cannot be read';
}

/** The code of a network or library error, for messages; never its text, which may quote what was sent. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** https to anywhere (the connector vets the address); http to loopback, and to others, where that is allowed. */
function vetUrl(url: string, base: URL | undefined, { allowLoopback, allowPlain = false }: VettedGet): URL {
  const target = parseUrl(url, base);
  if (target === undefined) throw new DownloadError('forbidden_address', 'the URL is not a URL');
  const { protocol, hostname } = target;
  if (target.username !== '' || target.password !== '') {
    throw new DownloadError('forbidden_address', `the URL on ${hostname} carries credentials`);
  }
  const isLoopback = hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
  if (protocol === 'https:' || (protocol === 'http:' && (allowPlain || (allowLoopback && isLoopback)))) return target;
  throw new DownloadError('forbidden_address', `the URL must be https, not ${protocol}//${hostname}`);
}

/**
 * Why a download ended without the file. `expired` = the URL does not give it any more (403, 404, 410); `unreachable` = no
 * answer came, or none that is HTTP; `short` = the body ended early, changed, or had no bytes; `http` = another status; the rest say themselves.
 */
export type DownloadReason =
  | 'expired'
  | 'unreachable'
  | 'short'
  | 'too_large'
  | 'too_slow'
  | 'forbidden_address'
  | 'not_media'
  | 'http';

/** The message names the host at most: the rest of an output URL is a key to the file. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  constructor(
    readonly reason: DownloadReason,
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Reason `short`, but going on within the same call cannot help: the file is another one, or has no bytes. */
export class WrongFileError extends DownloadError {
  constructor(message: string) {
    super('short', message);
  }
}

export interface Post {
  url: string;
  body: string;
  headers: Record<string, string>;
  /** Only addresses of the public internet, over TLS. */
  isPublicOnly: boolean;
}

export type Posted = { status: number } | { failed: string } | { forbidden: string };

const TIMEOUT_MS = 15_000;

/** Never throws. */
export async function postNotice({ url, body, headers, isPublicOnly }: Post): Promise<Posted> {
  const connect = isPublicOnly
    ? createVettedConnector({ allowLoopback: false, connectTimeoutMs: TIMEOUT_MS })
    : { timeout: TIMEOUT_MS };
  const dispatcher = new Agent({ connect, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  try {
    const answer = await request(url, { method: 'POST', body, headers, dispatcher });
    return { status: answer.statusCode };
  } catch (error) {
    if (error instanceof ForbiddenAddressError) return { forbidden: error.message };
    const { name, code } = error as Error & { code?: string };
    return { failed: code ?? name };
  } finally {
    // The body is of no interest, however long it is.
    await dispatcher.destroy();
  }
}
