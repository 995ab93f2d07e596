import { safeText } from '../domain/secret.js';

/** The service's address in its normal form, and whether it is on this machine. */
export interface BaseUrl {
  /** `https://host[:port]`, or `http://` on a loopback host; no path, no slash at the end. */
  origin: string;
  isLoopback: boolean;
  port: number;
}

export type BaseUrlReading = { ok: true; baseUrl: BaseUrl } | { ok: false; message: string };

const FORM = 'baseUrl must be https://host, without path, query or credentials (http only for a loopback host)';

/** Reads a base URL (`B50`): https without a path; http only for 127.0.0.0/8, ::1 and localhost. */
export function readBaseUrl(text: string): BaseUrlReading {
  const shown = safeText(text.replace(/\/\/[^/]*@/, '//[redacted]@'), 80);
  const refused = { ok: false, message: `${FORM}, got '${shown}'` } as const;
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || /[?#@]/.test(text)) return refused;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.pathname !== '/') return refused;
  const isLoopback = isLoopbackHost(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) return refused;
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
  return { ok: true, baseUrl: { origin: url.origin, isLoopback, port } };
}

/** True for a base URL on this machine, where rehearsals run. */
export function isLoopbackUrl(origin: string): boolean {
  const read = readBaseUrl(origin);
  return read.ok && read.baseUrl.isLoopback;
}

/** By its written form alone: a name is never looked up. `URL` has already made every IPv4 form canonical. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
