// F41: something on the way ends every connection after so many bytes or seconds: a long film comes in many pieces.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createDownloader } from '../../src/service/download.js';
import { sha256 } from './broken-server.js';

const FILM = Buffer.alloc(8 << 20, 'frames');
const PIECE = 1_200_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function fetchInPieces(headers: Record<string, string>) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.range);
    const from = headers.etag === undefined ? 0 : Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
    const all = { 'content-length': FILM.length - from, ...headers };
    if (from === 0) response.writeHead(200, all);
    else response.writeHead(206, { ...all, 'content-range': `bytes ${from}-${FILM.length - 1}/${FILM.length}` });
    response.write(FILM.subarray(from, from + PIECE), () => setTimeout(() => response.destroy(), 20));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
  closing.push(
    () => downloader.close(),
    () => server.close(),
  );
  const download = await downloader.fetchOutput(`http://127.0.0.1:${(server.address() as AddressInfo).port}/film.mp4`);
  const chunks: Uint8Array[] = [];
  const failed = await (async () => {
    for await (const chunk of download.stream) chunks.push(chunk);
  })().catch((error: unknown) => error);
  return { failed, asked, sha256: sha256(Buffer.concat(chunks)) };
}

test('each piece goes on where the last one ended, as long as each brings something', async () => {
  const { failed, asked, sha256: got } = await fetchInPieces({ etag: '"one"' });
  expect(failed).toBeUndefined();
  expect(got).toBe(sha256(FILM));
  expect(asked.length).toBeGreaterThan(5);
});

test('where nothing brings it further it is given up after a bounded number of tries', async () => {
  const { failed, asked } = await fetchInPieces({});
  expect(failed).toMatchObject({ reason: 'short' });
  expect(asked).toHaveLength(5);
});
