import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../domain/parse-url.js';
import type { MediaRule } from '../../kinds/rule.js';
import { quoted } from '../problem.js';

/**
 * Checks a media URL by its form and its host (B44): scheme, no credentials, nothing that parsers read differently,
 * a public host. Gives the sentence of what is wrong, or undefined.
 */
export async function urlFlaw(
  name: string,
  text: string,
  rule: MediaRule,
  hosts: HostChecker,
): Promise<string | undefined> {
  const scheme = rule.url === 'https' ? 'https' : 'http or https';
  const wanted = `${name} must be a public ${scheme} URL`;
  if (!/^https?:\/\/[^/]/i.test(text)) return `${wanted}, got ${quoted(text)}`;
  if (/[\s\\]/.test(text) || /\p{Cc}/u.test(text)) {
    return `${wanted}; it holds blanks, backslashes or control characters: ${quoted(text)}`;
  }
  if (/\|\s*(?:https?|data):/i.test(text)) return `${name} must be one URL, got a list: ${quoted(text)}`;
  const url = parseUrl(text);
  if (url === undefined) return `${wanted}, got ${quoted(text)}`;
  const { hostname, username, password, protocol } = url;
  if (username !== '' || password !== '') return `${wanted} without credentials in it`;
  const flaw = await hosts.check(hostname);
  if (flaw !== undefined) return `${name} url must be public ${scheme} (${flaw})`;
  const isTooPlain = rule.url === 'https' && protocol !== 'https:' && !hosts.isLoopback(hostname);
  return isTooPlain ? `${wanted}, not http` : undefined;
}

/** Tells whether a URL's host may be used as a media source; a sentence says why not. */
export interface HostChecker {
  /** `hostname` as the WHATWG URL parser gives it (IPv4 in plain form, IPv6 in brackets). */
  check(hostname: string): string | undefined | Promise<string | undefined>;
  /** The host is loopback by its name or address. */
  isLoopback(hostname: string): boolean;
}

export interface HostCheckerOptions {
  /** The base URL is loopback, so loopback media are in order. */
  allowLoopback: boolean;
  /** Ask the resolver for names; a name that does not resolve here is no error, since the service fetches it. */
  resolveHosts: boolean;
  resolve?: (hostname: string) => Promise<string[]>;
}

const HOSTS_KEPT_MAX = 10_000;
const RESOLVE_TIMEOUT_MS = 2_000;
/** After so many time-outs in a row the resolver is taken for absent and not asked again. */
const TIMEOUTS_MAX = 3;
/** Names that no public resolver answers for (RFC 6761, RFC 6762, RFC 8375 and the private use of .internal). */
const PRIVATE_SUFFIX = /(?:^|\.)(?:local|localdomain|internal|intranet|lan|home\.arpa)$/;

/** Answers are kept per host, so that a million rows of one host ask once. */
export function createHostChecker(options: HostCheckerOptions): HostChecker {
  const kept = new Map<string, string | undefined>();
  const resolve = options.resolve ?? resolveWithSystem;
  let timeouts = 0;

  function checkAddress(address: string, how: string): string | undefined {
    const range = rangeOf(address);
    if (range === 'unicast' || (range === 'loopback' && options.allowLoopback)) return undefined;
    return `${how} ${address}`;
  }

  async function checkResolved(hostname: string): Promise<string | undefined> {
    if (timeouts >= TIMEOUTS_MAX) return undefined;
    const addresses = await withTimeout(resolve(hostname), RESOLVE_TIMEOUT_MS);
    if (addresses === 'timeout') {
      timeouts += 1;
      return undefined;
    }
    timeouts = 0;
    for (const address of addresses) {
      const flaw = checkAddress(address, 'host resolves to');
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  }

  function keep(hostname: string, flaw: string | undefined): string | undefined {
    if (kept.size >= HOSTS_KEPT_MAX) kept.clear();
    kept.set(hostname, flaw);
    return flaw;
  }

  return {
    isLoopback: (hostname) => isLocalName(hostname) || rangeOf(unbracketed(hostname)) === 'loopback',
    check(hostname) {
      if (kept.has(hostname)) return kept.get(hostname);
      const literal = unbracketed(hostname);
      if (ipaddr.isValid(literal)) return keep(hostname, checkAddress(literal, 'host is'));
      const name = hostname.replace(/\.$/, '').toLowerCase();
      if (isLocalName(name)) return keep(hostname, options.allowLoopback ? undefined : 'host is localhost');
      if (PRIVATE_SUFFIX.test(name)) return keep(hostname, `host ${quoted(name)} is a private name`);
      if (!options.resolveHosts) return keep(hostname, undefined);
      return checkResolved(name).then((flaw) => keep(hostname, flaw));
    },
  };
}

function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost');
}

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

/** The range of an address; one that hides an IPv4 address (mapped, NAT64, 6to4) counts as that address. */
function rangeOf(text: string): string {
  if (!ipaddr.isValid(text)) return 'name';
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6) {
    const range = address.range();
    const bytes = address.toByteArray();
    if (range === 'rfc6052') return new ipaddr.IPv4(bytes.slice(12)).range();
    if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6)).range();
    if (bytes.slice(0, 12).every((byte) => byte === 0) && range === 'unicast') return 'reserved';
    return range;
  }
  return address.range();
}

async function resolveWithSystem(hostname: string): Promise<string[]> {
  try {
    return (await lookup(hostname, { all: true })).map((entry) => entry.address);
  } catch {
    return [];
  }
}

async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | 'timeout'> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
