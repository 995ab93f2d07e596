import { isIPv6 } from 'node:net';
import { parseUrl } from '../domain/parse-url.js';

/** Where the page is served besides 127.0.0.1, and the names under which browsers ask for it there. */
export interface OtherPlace {
  /** An IP address of this machine; `0.0.0.0` and `::` stand for all of them. */
  address: string;
  /** `films.example.com`, or with a port where a proxy listens on an unusual one. */
  names: readonly string[];
}

const LOCAL = '127.0.0.1';
const ALL = ['0.0.0.0', '::'];

export function isAllAddresses(address: string): boolean {
  return ALL.includes(address);
}

/** The addresses to listen on with one port: all of them together are one. */
export function boundAddresses(other: OtherPlace | undefined): string[] {
  if (other === undefined || other.address === LOCAL) return [LOCAL];
  return isAllAddresses(other.address) ? [other.address] : [LOCAL, other.address];
}

/** By the Host that a request may have: the origins that a page which was loaded from there has. */
export function knownPlaces(port: number, other: OtherPlace | undefined): Map<string, string[]> {
  const local = [LOCAL, 'localhost'].flatMap((host) => asSent('http', `${host}:${port}`));
  const places = new Map(local.map((host) => [host, [`http://${host}`]]));
  for (const host of otherHosts(port, other)) {
    // Behind a proxy with TLS a page has another scheme than the request that arrives here.
    if (!places.has(host)) places.set(host, [`http://${host}`, `https://${host}`]);
  }
  return places;
}

/** What a person opens elsewhere, without a code. */
export function otherUrls(port: number, other: OtherPlace | undefined): string[] {
  const [, address] = boundAddresses(other);
  const urls = address === undefined ? [] : [`http://${hostOf(address)}:${port}/`];
  return [
    ...urls,
    ...(other?.names ?? []).map((name) => (hasPort(name) ? `https://${name}/` : `http://${name}:${port}/`)),
  ];
}

function otherHosts(port: number, other: OtherPlace | undefined): string[] {
  if (other === undefined) return [];
  const own = isAllAddresses(other.address) ? [] : asSent('http', `${hostOf(other.address)}:${port}`);
  const named = other.names.flatMap((name) => (hasPort(name) ? asSent('https', name) : [name, `${name}:${port}`]));
  return [...own, ...named].map((host) => host.toLowerCase());
}

/** Also as a browser writes it: without the port that goes without saying, and an address in its shortest form. */
function asSent(scheme: 'http' | 'https', host: string): string[] {
  const url = parseUrl(`${scheme}://${host}`);
  return url === undefined ? [host] : [host, url.host];
}

function hostOf(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name);
}
