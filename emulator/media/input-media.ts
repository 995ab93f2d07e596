/** Media that requests bring along: data URIs, raw base64, and URLs, which are really fetched from loopback hosts. */
import { type ClientRequest, get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { isIP } from 'node:net';

/**
 * What became of a URL. A host that is not loopback is accepted unseen, because the emulator has no network; an address
 * that is not public is refused as the service would refuse it.
 */
type Fetched =
  | { kind: 'loaded'; bytes: Buffer }
  | { kind: 'unseen' }
  | { kind: 'failed'; reason: string; isTimeout: boolean };

const FETCH_TIMEOUT_MS = 10_000;

/** Fetches a URL with a bound on its bytes; redirects are not followed. */
export function fetchMedia(text: string, bytesMax: number): Promise<Fetched> {
  const url = parseUrl(text);
  if (url === undefined) return Promise.resolve(failed('is not a URL'));
  if (!isWebUrl(text)) return Promise.resolve(failed('is not an http or https URL'));
  if (url.username !== '' || url.password !== '') return Promise.resolve(failed('carries credentials'));
  const host = hostOf(url);
  if (isLoopback(host)) return download(url, bytesMax);
  if (isPrivate(host)) return Promise.resolve(failed('does not resolve to a public host'));
  return Promise.resolve({ kind: 'unseen' });
}

/** A URL that the documents want to be https; http is let through for loopback hosts alone. */
export function isHttpsOrLoopback(text: string): boolean {
  return parseUrl(text)?.protocol === 'https:' || isLoopbackUrl(text);
}

/** An http URL whose host is this machine. */
export function isLoopbackUrl(text: string): boolean {
  const url = parseUrl(text);
  return url?.protocol === 'http:' && isLoopback(hostOf(url));
}

/** Whether the text has the form of an http or https URL. */
export function isWebUrl(text: string): boolean {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? '');
}

/** The bytes of raw base64 (no `data:` prefix), or undefined where it is not valid base64. */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length === 0 || text.length % 4 === 1 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

/** The bytes and type of a base64 data URI, or undefined where it is none. */
export function decodeDataUri(text: string): { mediaType: string; bytes: Buffer } | undefined {
  const comma = text.indexOf(',');
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w-]+=[^;,]*)*;base64$/i.exec(comma < 0 ? '' : text.slice(0, comma));
  const mediaType = head?.[1];
  const bytes = decodeBase64(text.slice(comma + 1));
  return mediaType === undefined || bytes === undefined ? undefined : { mediaType: mediaType.toLowerCase(), bytes };
}

/** Not by `URL.canParse`, which forgets hosts with letters of Latin 1 once Node 20 has compiled it. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function failed(reason: string, isTimeout = false): Fetched {
  return { kind: 'failed', reason, isTimeout };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isPrivate(host: string): boolean {
  if (isIP(host) === 6) return /^(::|f[cd]|fe[89ab])/i.test(host);
  if (isIP(host) !== 4) return /(^|\.)(localhost|local|internal)$/i.test(host);
  return /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|2(2[4-9]|[3-5]\d))\./.test(
    host,
  );
}

function download(url: URL, bytesMax: number): Promise<Fetched> {
  return new Promise((resolve) => {
    const take = (response: IncomingMessage): void => {
      if (response.statusCode !== 200) {
        response.resume();
        resolve(failed(`answers ${response.statusCode ?? 0}`));
        return;
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        parts.push(part);
        if (bytes <= bytesMax) return;
        resolve(failed(`is larger than ${bytesMax} bytes`));
        response.destroy();
      });
      response.on('end', () => resolve({ kind: 'loaded', bytes: Buffer.concat(parts) }));
      response.on('error', () => resolve(failed('broke off while it was fetched')));
    };
    // Loopback servers of tests have no certificate that anyone trusts.
    const request: ClientRequest =
      url.protocol === 'https:' ? httpsGet(url, { rejectUnauthorized: false }, take) : httpGet(url, take);
    const timer = setTimeout(() => {
      resolve(failed('could not be fetched in time', true));
      request.destroy();
    }, FETCH_TIMEOUT_MS);
    request.on('close', () => clearTimeout(timer));
    request.on('error', () => resolve(failed('cannot be fetched')));
  });
}
