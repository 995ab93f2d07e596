import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDownloader, type DownloaderOptions } from '../../src/service/download.js';
import { FILE, serve, sha256, status, whole } from './broken-server.js';

/** What names resolve to in these tests; a name server that lies cannot be had otherwise. */
const names = vi.hoisted(() => new Map<string, LookupAddress[]>());

vi.mock('node:dns', async (original) => {
  const real = await original<typeof import('node:dns')>();
  const lookup = (name: string, options: object, callback: (error: null, found: LookupAddress[]) => void) => {
    const found = names.get(name);
    if (found === undefined) real.lookup(name, options as never, callback as never);
    else callback(null, found);
  };
  return { ...real, lookup };
});

let listener: Server;
let port = 0;
let connections = 0;

beforeAll(async () => {
  // Every address of this machine: a connection to any of them is seen.
  listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  const address = listener.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => {
  listener.close();
});

afterEach(() => {
  connections = 0;
  names.clear();
});

async function refusal(url: string, over: Partial<DownloaderOptions> = {}) {
  const downloader = createDownloader({ allowLoopback: false, userAgent: 'callsheet/test', ...over });
  try {
    await downloader.fetchOutput(url);
    return 'fetched';
  } catch (error) {
    return (error as { reason?: string }).reason;
  } finally {
    await downloader.close();
  }
}

const LITERALS = [
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '0x7f000001',
  '127.0.0.1.',
  '１２７.0.0.1',
  '0.0.0.0',
  '0',
  '10.0.0.5',
  '169.254.169.254',
  '192.168.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[fe80::1]',
  '[fd00::1]',
  '[2002:7f00:1::]',
];

describe('F44, I18: no connection to an address that is not public', () => {
  test.each(LITERALS)('https://%s', async (host) => {
    expect(await refusal(`https://${host}:${port}/a.mp4`)).toBe('forbidden_address');
    expect(connections).toBe(0);
  });

  test.each(['localhost', 'LOCALHOST', 'localhost.'])('the name %s', async (host) => {
    expect(await refusal(`https://${host}:${port}/`)).toMatch(/forbidden_address|unreachable/);
    expect(connections).toBe(0);
  });

  test.each([
    ['one address', ['127.0.0.1']],
    ['one address of many', ['8.8.8.8', '10.0.0.5', '1.1.1.1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['no address', []],
  ])('a public name that resolves to %s that is not public', async (_, addresses) => {
    names.set(
      'cdn.example',
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
    expect(await refusal(`https://cdn.example:${port}/a.mp4`)).toBe('forbidden_address');
    expect(connections).toBe(0);
  });

  test.each([
    'http://cdn.example/a.mp4',
    'http://8.8.8.8/a.mp4',
    'http://127.0.0.1/a.mp4',
    'file:///etc/passwd',
    'ftp://cdn.example/a',
    'data:text/plain,x',
    'gopher://127.0.0.1:25/_',
    'javascript:alert(1)',
    'https://user:password@cdn.example/a.mp4',
    'https://user@8.8.8.8/',
    'not a url',
    '',
    '//cdn.example/a',
  ])('%s is not fetched', async (url) => {
    expect(await refusal(url)).toBe('forbidden_address');
  });
});

describe('with a loopback service', () => {
  const loopback = { allowLoopback: true };

  test('loopback is fetched, by address and by name, over http', async () => {
    const server = await serve(whole());
    expect(await refusal(server.url, loopback)).toBe('fetched');
    expect(await refusal(`http://localhost:${server.port}/`, loopback)).toBe('fetched');
    expect(server.requests).toHaveLength(2);
  });

  test.each(['10.0.0.5', '169.254.169.254', '0.0.0.0', '[fd00::1]', '[::]'])('https://%s is not', async (host) => {
    expect(await refusal(`https://${host}:${port}/`, loopback)).toBe('forbidden_address');
    expect(connections).toBe(0);
  });

  test('http is for loopback alone, also where its name resolves elsewhere', async () => {
    expect(await refusal('http://8.8.8.8/', loopback)).toBe('forbidden_address');
    names.set('localhost', [{ address: '8.8.8.8', family: 4 }]);
    expect(await refusal(`http://localhost:${port}/`, loopback)).toBe('forbidden_address');
  });

  test.each([
    'https://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'https://10.0.0.5/',
    'https://[::ffff:10.0.0.5]/',
    'http://cdn.example/',
    'file:///etc/passwd',
    'https://user:password@cdn.example/',
  ])('F44: a redirect to %s is not followed', async (location) => {
    const server = await serve(status(302, { location }));
    expect(await refusal(server.url, loopback)).toBe('forbidden_address');
    expect(server.requests).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])('F44: three redirects are followed (%i), a fourth is not', async (code) => {
    const hop = status(code, { location: '/next' });
    const three = await serve(hop, hop, hop, whole());
    const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await downloader.fetchOutput(three.url)).stream) chunks.push(chunk);
    expect(sha256(Buffer.concat(chunks))).toBe(sha256(FILE));
    await downloader.close();
    const four = await serve(hop, hop, hop, hop, whole());
    expect(await refusal(four.url, loopback)).toBe('http');
    expect(four.requests).toHaveLength(4);
  });

  test('a redirect without an address is an answer like any other', async () => {
    const server = await serve(status(302));
    expect(await refusal(server.url, loopback)).toBe('http');
  });
});

test('an input may be http, an output may not; neither may be on a private address (design: the manifest, threats)', async () => {
  const downloader = createDownloader({ allowLoopback: false, userAgent: 'callsheet/test' });
  names.set('photos.example', [{ address: '10.0.0.7', family: 4 }]);
  await expect(downloader.fetchInput('http://photos.example/a.png')).rejects.toThrow('10.0.0.7');
  await expect(downloader.fetchOutput('http://photos.example/a.png')).rejects.toThrow('the URL must be https');
  expect(connections).toBe(0);
  await downloader.close();
});
