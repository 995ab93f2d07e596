import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDownloader } from '../../src/service/download.js';
import { serve, status } from './broken-server.js';

/** What the names of the corpus resolve to, answer by answer; a name server that lies cannot be had otherwise. */
const names = vi.hoisted(
  () =>
    new Map<string, string[][]>([
      ['inside.example', [['127.0.0.1']]],
      ['metadata.example', [['169.254.169.254']]],
      ['lan.example', [['10.0.0.5']]],
      ['mapped.example', [['::ffff:127.0.0.1']]],
      ['nat64.example', [['64:ff9b::7f00:1']]],
      ['sixtofour.example', [['2002:7f00:1::']]],
      ['zero.example', [['0.0.0.0']]],
      ['six.example', [['::1']]],
      ['mixed.example', [['8.8.8.8', '127.0.0.1']]],
      ['mixed-six.example', [['2606:4700:4700::1111', '::1']]],
      ['nobody.example', [[]]],
      // This machine for the connection, public for whoever looks again to check it.
      ['rebound.example', [['127.0.0.1'], ['8.8.8.8']]],
    ]),
);

vi.mock('node:dns', async (original) => {
  const real = await original<typeof import('node:dns')>();
  const asked = new Map<string, number>();
  const lookup = (name: string, options: object, callback: (error: null, found: LookupAddress[]) => void) => {
    const answers = names.get(name.replace(/\.$/, ''));
    if (answers === undefined) return real.lookup(name, options as never, callback as never);
    const n = asked.get(name) ?? 0;
    asked.set(name, n + 1);
    const addresses = answers[Math.min(n, answers.length - 1)] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { ...real, lookup };
});

/** `PORT` is where every address of this machine listens. */
const CORPUS = {
  'IPv4 in every notation': [
    'https://127.0.0.1:PORT/a.mp4',
    'https://127.0.0.2:PORT/',
    'https://127.255.255.254:PORT/',
    'https://127.1:PORT/',
    'https://127.0.1:PORT/',
    'https://2130706433:PORT/',
    'https://017700000001:PORT/',
    'https://0x7f000001:PORT/',
    'https://0x7f.0.0.1:PORT/',
    'https://0x7f.1:PORT/',
    'https://0177.0.0.1:PORT/',
    'https://0177.0.0.0x1:PORT/',
    'https://127.0.0.1.:PORT/',
    'https://１２７.０.０.１:PORT/',
    'https://①②⑦.0.0.1:PORT/',
    'https://127%2E0%2E0%2E1:PORT/',
    'https://127。0。0。1:PORT/',
    'https://0:PORT/',
    'https://0.0.0.0:PORT/',
    'https:127.0.0.1:PORT/',
    'https:///127.0.0.1:PORT/',
    'https:\\\\127.0.0.1:PORT\\',
    'HTTPS://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT#@8.8.8.8/',
    'https://127.0.0.1:PORT?@8.8.8.8/',
  ],
  'networks that are not public': [
    'https://10.0.0.5:PORT/',
    'https://172.16.0.1:PORT/',
    'https://172.31.255.255:PORT/',
    'https://192.168.0.1:PORT/',
    'https://100.64.0.1:PORT/',
    'https://169.254.169.254/latest/meta-data/',
    'https://169.254.170.2/v2/credentials',
    'https://2852039166/latest/meta-data/',
    'https://0xA9FEA9FE/latest/meta-data/',
    'https://192.0.0.192/latest/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
  ],
  'IPv6, mapped, translated and tunnelled': [
    'https://[::1]:PORT/',
    'https://[0:0:0:0:0:0:0:1]:PORT/',
    'https://[0000::0001]:PORT/',
    'https://[::]:PORT/',
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://[::ffff:7f00:1]:PORT/',
    'https://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'https://[::127.0.0.1]:PORT/',
    'https://[::ffff:0:127.0.0.1]:PORT/',
    'https://[64:ff9b::127.0.0.1]:PORT/',
    'https://[64:ff9b::7f00:1]:PORT/',
    'https://[64:ff9b::a9fe:a9fe]/latest/meta-data/',
    'https://[64:ff9b:1::7f00:1]:PORT/',
    'https://[2002:7f00:1::]:PORT/',
    'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]:PORT/',
    'https://[fe80::1]:PORT/',
    'https://[fd00:ec2::254]/latest/meta-data/',
    'https://[ff02::1]:PORT/',
  ],
  names: [
    'https://localhost:PORT/',
    'https://LOCALHOST:PORT/',
    'https://localhost.:PORT/',
    'https://inside.example:PORT/',
    'https://inside.example.:PORT/',
    'https://metadata.example/latest/meta-data/',
    'https://lan.example:PORT/',
    'https://mapped.example:PORT/',
    'https://nat64.example:PORT/',
    'https://sixtofour.example:PORT/',
    'https://zero.example:PORT/',
    'https://six.example:PORT/',
    'https://mixed.example:PORT/',
    'https://mixed-six.example:PORT/',
    'https://nobody.example:PORT/',
    'https://rebound.example:PORT/',
  ],
  'credentials and odd schemes': [
    'https://user:password@127.0.0.1:PORT/',
    'https://user@8.8.8.8/',
    'https://8.8.8.8@127.0.0.1:PORT/',
    'https://8.8.8.8:443@127.0.0.1:PORT/',
    'http://127.0.0.1:PORT/',
    'http://8.8.8.8/a.mp4',
    'http://inside.example:PORT/',
    'file:///etc/passwd',
    'file://127.0.0.1/etc/passwd',
    'ftp://127.0.0.1:PORT/a',
    'gopher://127.0.0.1:PORT/_',
    'dict://127.0.0.1:PORT/d',
    'ws://127.0.0.1:PORT/',
    'wss://127.0.0.1:PORT/',
    'data:text/plain,x',
    'blob:https://127.0.0.1:PORT/x',
    'javascript:alert(1)',
    'about:blank',
    '//127.0.0.1:PORT/a',
    '127.0.0.1:PORT',
    'not a url',
    '',
  ],
};

/** Where a good address sends us; only an address of this machine can be a good one in a test. */
const REDIRECTS = [
  'https://10.0.0.5:PORT/',
  'https://169.254.169.254/latest/meta-data/',
  'http://169.254.169.254/latest/meta-data/',
  'https://0.0.0.0:PORT/',
  'https://[::]:PORT/',
  'https://[fd00::1]:PORT/',
  'https://[::ffff:10.0.0.5]:PORT/',
  'https://[64:ff9b::7f00:1]:PORT/',
  'https://[2002:7f00:1::]:PORT/',
  'https://lan.example:PORT/',
  'https://zero.example:PORT/',
  'https://user:password@127.0.0.1:PORT/',
  'http://inside.example:PORT/',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  '//10.0.0.5:PORT/',
  '//169.254.169.254/',
];

const ALL = Object.entries(CORPUS).flatMap(([sort, urls]) => urls.map((url) => ({ sort, url })));

let listener: Server;
let port = 0;
let connections = 0;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  const address = listener.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => {
  listener.close();
});

async function fetchIt(url: string, allowLoopback: boolean): Promise<string> {
  const downloader = createDownloader({ allowLoopback, userAgent: 'callsheet/test', connectTimeoutMs: 2_000 });
  try {
    await downloader.fetchOutput(url.replace('PORT', String(port)));
    return 'fetched';
  } catch (error) {
    return error instanceof Error && 'reason' in error ? String(error.reason) : String(error);
  } finally {
    await downloader.close();
  }
}

describe('F44, I18: the corpus of URLs that must not be fetched', () => {
  test('has at least 60 of them', () => {
    expect(new Set([...ALL.map(({ url }) => url), ...REDIRECTS]).size).toBeGreaterThanOrEqual(100);
  });

  test('the listener sees a connection when there is one', async () => {
    expect(await fetchIt('https://127.0.0.1:PORT/', true)).toBe('unreachable');
    expect(connections).toBe(1);
    connections = 0;
  });

  test.each(ALL)('$sort: $url', async ({ url }) => {
    // A name that does not resolve at all is as good as one that is refused.
    expect(await fetchIt(url, false)).toMatch(/^(forbidden_address|unreachable)$/);
    expect(connections).toBe(0);
  });

  test.each(REDIRECTS)('a redirect to %s', async (location) => {
    const server = await serve(status(302, { location: location.replace('PORT', String(port)) }));
    expect(await fetchIt(server.url, true)).toBe('forbidden_address');
    expect(server.requests).toHaveLength(1);
    expect(connections).toBe(0);
  });
});
