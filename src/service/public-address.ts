/** Tells public internet addresses from all others, and opens connections to no others. */
import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { skipInterimAnswers } from './connector.js';

/** The host is, or resolves to, an address that we do not connect to. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  constructor(readonly address: string) {
    super(`${address} is not a public address`);
  }
}

export interface VettedConnectorOptions {
  /** For a loopback service: loopback addresses too, with and without TLS. */
  allowLoopback: boolean;
  connectTimeoutMs: number;
  /** Public addresses without TLS too: for inputs, which the documents let be http. */
  allowPlain?: boolean;
}

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

/**
 * True for an address that is routed in the public internet. An IPv4 address inside an IPv6 one (mapped, NAT64)
 * counts as itself; 6to4, Teredo and everything with a special purpose is not public. Anything but an address in
 * plain notation is not public either.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined) return false;
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  if (parsed.match(NAT64, 96)) {
    const inner = ipaddr.fromByteArray(parsed.toByteArray().slice(12));
    return inner instanceof ipaddr.IPv4 && inner.range() === 'unicast';
  }
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST, 3);
}

/** True for 127.0.0.0/8 and ::1, mapped or not. */
export function isLoopbackAddress(address: string): boolean {
  return parseAddress(address)?.range() === 'loopback';
}

/**
 * A connector for undici that connects to public addresses alone: an address in the URL, every address that the name
 * resolves to, and the address that was connected must all be public. Without TLS only loopback can be allowed,
 * unless `allowPlain` says otherwise.
 */
export function createVettedConnector(options: VettedConnectorOptions): buildConnector.connector {
  const { allowLoopback, connectTimeoutMs, allowPlain = false } = options;
  const isLoopback = (address: string) => allowLoopback && isLoopbackAddress(address);
  const isPermitted = (address: string) => isPublicAddress(address) || isLoopback(address);
  const secure = vetted(isPermitted, connectTimeoutMs);
  const plain = vetted(allowPlain ? isPermitted : isLoopback, connectTimeoutMs);
  return (target, callback) => (target.protocol === 'https:' ? secure : plain)(target, callback);
}

function vetted(permits: (address: string) => boolean, timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, allowH2: false, lookup: vettedLookup(permits) });
  return (target, callback) => {
    // For an address in the URL nothing is looked up.
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !permits(host)) return callback(new ForbiddenAddressError(host), null);
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(...result);
      skipInterimAnswers(socket);
      if (permits(socket.remoteAddress ?? '')) return callback(...result);
      socket.destroy();
      callback(new ForbiddenAddressError(socket.remoteAddress ?? host), null);
    });
  };
}

function vettedLookup(permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, []);
      const forbidden = found.find(({ address }) => !permits(address));
      const [first] = found;
      if (forbidden !== undefined || first === undefined) {
        return callback(new ForbiddenAddressError(`${hostname} (${forbidden?.address ?? 'no address'})`), []);
      }
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

/** The address with an IPv4 address taken out of its mapped form; only what the system itself calls an address. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 0) return undefined;
  // The library takes `::8.8.8.8` for a mapped address; in hexadecimal form nothing can be mistaken.
  return ipaddr.process(version === 4 ? plain : new URL(`http://[${plain}]`).hostname.slice(1, -1));
}
