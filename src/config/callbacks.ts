import { isIP } from 'node:net';
import { safeText } from '../domain/secret.js';
import type { BaseUrl } from './base-url.js';
import { isLoopbackHost } from './base-url.js';
import type { ConfigProblem } from './config-error.js';
import type { Config } from './types.js';

/** A URL with a token behind it must stay below what providers store. */
const URL_MAX = 1_000;
const LISTEN = /^(?<host>[A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\]):(?<port>\d{1,5})$/;
const PRIVATE_V4 =
  /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[3-5]\d)\./;

/** Reads where status updates come from and arrive; every problem is one sentence (`B56`). */
export function readCallbacks(
  { url, listen }: { url: unknown; listen: unknown },
  service: BaseUrl | undefined,
  nameOf: (path: string) => string,
): { callbacks: Config['callbacks']; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const base = typeof url === 'string' ? readUrl(url, service) : null;
  const place = typeof listen === 'string' ? readListen(listen) : null;
  if (base !== null && 'problem' in base) problems.push(problem(nameOf('callbacks.url'), base.problem, url));
  if (place !== null && 'problem' in place) problems.push(problem(nameOf('callbacks.listen'), place.problem, listen));
  return {
    callbacks: {
      url: base !== null && 'url' in base ? base.url : null,
      listen: place !== null && 'listen' in place ? place.listen : null,
    },
    problems,
  };
}

function problem(name: string, wish: string, given: unknown): ConfigProblem {
  const shown = safeText(String(given).replace(/\/\/[^/]*@/, '//[redacted]@'), 80);
  return { code: 'B56', message: `${name} ${wish}, got '${shown}'` };
}

function readUrl(text: string, service: BaseUrl | undefined): { url: string } | { problem: string } {
  const wish = 'must be a public https:// address without credentials or query (http only on this machine)';
  if (text.length > URL_MAX || /[?#@\\\s]/.test(text) || !URL.canParse(text)) return { problem: wish };
  const url = new URL(text);
  const isLoopback = isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) return { problem: wish };
  if (isLoopback) {
    if (service?.isLoopback === false) return { problem: 'must be reachable for the service, not on this machine' };
  } else if (isPrivateHost(url.hostname)) return { problem: wish };
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

/** By its written form alone: a name may mean another address to the service. */
function isPrivateHost(host: string): boolean {
  if (host.startsWith('[')) return !/^\[[23]/.test(host);
  if (isIP(host) === 4) return PRIVATE_V4.test(host);
  return !host.includes('.') || /\.(local|localdomain|internal|intranet|lan|localhost|home\.arpa)\.?$/.test(host);
}

function readListen(text: string): { listen: string } | { problem: string } {
  const port = Number(LISTEN.exec(text)?.groups?.port ?? Number.NaN);
  if (Number.isNaN(port) || port > 65_535) return { problem: 'must be host:port, such as 127.0.0.1:8790' };
  return { listen: text };
}
