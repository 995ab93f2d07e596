import { isIP } from 'node:net';
import { parseUrl } from '../domain/parse-url.js';
import { safeText } from '../domain/secret.js';
import type { ConfigProblem } from './config-error.js';
import type { Config } from './settings.js';

/** The service's address in its normal form, and whether it is on this machine. */
export interface BaseUrl {
  /** `https://host[:port]`, or `http://` on a loopback host; no path, no slash at the end. */
  origin: string;
  isLoopback: boolean;
  port: number;
}

type BaseUrlReading = { ok: true; baseUrl: BaseUrl } | { ok: false; message: string };

const FORM = 'baseUrl must be https://host, without path, query or credentials (http only for a loopback host)';

/** Reads a base URL (`B50`): https without a path; http only for 127.0.0.0/8, ::1 and localhost. */
export function readBaseUrl(text: string): BaseUrlReading {
  const shown = safeText(text.replace(/\/\/[^/]*@/, '//[redacted]@'), 80);
  const refused = { ok: false, message: `${FORM}, got '${shown}'` } as const;
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || /[?#@]/.test(text)) return refused;
  const url = parseUrl(text);
  if (url === undefined || url.pathname !== '/') return refused;
  const isLoopback = isLoopbackHost(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) return refused;
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
  return { ok: true, baseUrl: { origin: url.origin, isLoopback, port } };
}

/** True for a base URL on this machine, where rehearsals run. */
export function isLoopbackUrl(origin: string | null): boolean {
  const read = origin === null ? undefined : readBaseUrl(origin);
  return read?.ok === true && read.baseUrl.isLoopback;
}

/** By its written form alone: a name is never looked up. `URL` has already made every IPv4 form canonical. */
function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A URL with a token behind it must stay below what providers store. */
const URL_MAX = 1_000;
const LISTEN = /^(?<host>[A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\]):(?<port>\d{1,5})$/;
const PRIVATE_V4 =
  /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[3-5]\d)\./;

/** Reads where status updates come from and arrive; every problem is one sentence (`B56`). */
export function readCallbacks(
  given: { valueOf(path: string): unknown; nameOf(path: string): string },
  service: BaseUrl | undefined,
  problems: ConfigProblem[],
): Config['callbacks'] {
  const read = (path: string, reader: (text: string) => { value: string } | { problem: string }): string | null => {
    const text = given.valueOf(path);
    if (typeof text !== 'string') return null;
    const found = reader(text);
    if ('value' in found) return found.value;
    const shown = safeText(text.replace(/\/\/[^/]*@/, '//[redacted]@'), 80);
    problems.push({ code: 'B56', message: `${given.nameOf(path)} ${found.problem}, got '${shown}'` });
    return null;
  };
  return { url: read('callbacks.url', (text) => readUrl(text, service)), listen: read('callbacks.listen', readListen) };
}

function readUrl(text: string, service: BaseUrl | undefined): { value: string } | { problem: string } {
  const wish = 'must be a public https:// address without credentials or query (http only on this machine)';
  const url = text.length > URL_MAX || /[?#@\\\s]/.test(text) ? undefined : parseUrl(text);
  if (url === undefined) return { problem: wish };
  const isLoopback = isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) return { problem: wish };
  if (isLoopback) {
    if (service?.isLoopback === false) return { problem: 'must be reachable for the service, not on this machine' };
  } else if (isPrivateHost(url.hostname)) return { problem: wish };
  return { value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

/** Signed URLs are read over https from the internet; a rehearsal's double reads them on this machine. */
export function canServiceReach(endpoint: string | undefined, baseUrl: string | null): boolean {
  if (isLoopbackUrl(baseUrl) || endpoint === undefined) return true;
  const url = parseUrl(endpoint);
  return url?.protocol === 'https:' && !isPrivateHost(url.hostname);
}

/** By its written form alone: a name may mean another address to the service. */
function isPrivateHost(host: string): boolean {
  if (host.startsWith('[')) return !/^\[[23]/.test(host);
  if (isIP(host) === 4) return PRIVATE_V4.test(host);
  return !host.includes('.') || /\.(local|localdomain|internal|intranet|lan|localhost|home\.arpa)\.?$/.test(host);
}

function readListen(text: string): { value: string } | { problem: string } {
  const port = Number(LISTEN.exec(text)?.groups?.port ?? Number.NaN);
  if (Number.isNaN(port) || port > 65_535) return { problem: 'must be host:port, such as 127.0.0.1:8790' };
  return { value: text };
}
