// F42, F43: what stands over a paid file may be wrong without a byte of it missing; what is missing is never whole.
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { createDownloader, type Downloader } from '../../src/service/download.js';
import { type Answer, FILE, serve, sha256, whole } from './broken-server.js';

let downloader: Downloader | undefined;

afterEach(async () => {
  await downloader?.close();
});

async function fetchAt(url: string): Promise<string> {
  downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test', resumesMax: 0 });
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await downloader.fetchOutput(url)).stream) chunks.push(chunk);
  return sha256(Buffer.concat(chunks));
}

const fetched = async (answer: Answer): Promise<string> => fetchAt((await serve(answer)).url);

test.each<[string, string | string[], Buffer]>([
  ['gzip over plain bytes', 'gzip', FILE],
  ['an unknown encoding over plain bytes', 'zstd', FILE],
  ['a name that means something to JavaScript', 'constructor', FILE],
  ['an unknown one within gzip', 'zstd, gzip', gzipSync(FILE)],
  ['aws-chunked over plain bytes', 'aws-chunked', FILE],
  ['aws-chunked beside gzip', 'gzip,aws-chunked', gzipSync(FILE)],
  ['identity beside gzip', 'identity, gzip', gzipSync(FILE)],
  ['gzip twice', 'gzip, gzip', gzipSync(gzipSync(FILE))],
  ['gzip twice, as two headers', ['gzip', 'gzip'], gzipSync(gzipSync(FILE))],
  ['gzip named twice', 'GZIP, gzip', gzipSync(FILE)],
  ['one within another', 'deflate, gzip', gzipSync(deflateSync(FILE))],
  ['deflate', 'deflate', deflateSync(FILE)],
  ['raw deflate', 'deflate', deflateRawSync(FILE)],
])('%s is the file', async (_name, encoding, body) => {
  expect(await fetched(whole({ 'content-encoding': encoding as string }, body))).toBe(sha256(FILE));
});

test.each<[string, string, Buffer]>([
  ['cut gzip', 'gzip', gzipSync(FILE).subarray(0, 50_000)],
  ['gzip cut behind its first byte', 'gzip', gzipSync(FILE).subarray(0, 1)],
  ['gzip cut within gzip', 'gzip, gzip', gzipSync(gzipSync(FILE).subarray(0, 50_000))],
  ['cut raw deflate', 'deflate', deflateRawSync(FILE).subarray(0, 50_000)],
  ['plain bytes under deflate', 'deflate', FILE],
  ['no bytes', 'gzip', Buffer.alloc(0)],
])('%s is not whole', async (_name, encoding, body) => {
  await expect(fetched(whole({ 'content-encoding': encoding }, body))).rejects.toMatchObject({ reason: 'short' });
});

test('plain bytes under gzip are whole by their length alone', async () => {
  const cut: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': FILE.length, 'content-encoding': 'gzip' });
    response.write(FILE.subarray(0, 50_000), () => setTimeout(() => response.socket?.destroy(), 20));
  };
  await expect(fetched(cut)).rejects.toMatchObject({ reason: 'short' });
});

test('what packs itself again and again is refused', async () => {
  const headers = { 'content-encoding': 'gzip, gzip, gzip, gzip' };
  await expect(fetched(whole(headers))).rejects.toMatchObject({ reason: 'not_media' });
});

test('a bomb within gzip is stopped', async () => {
  const bomb = gzipSync(gzipSync(Buffer.alloc(64 << 20)));
  const sent = fetched(whole({ 'content-encoding': 'gzip, gzip' }, bomb));
  await expect(sent).rejects.toMatchObject({ reason: 'too_large' });
});

test.each<[string, number, Record<string, string>]>([
  ['a 206 that leaves the whole length open', 206, { 'content-range': `bytes 0-${FILE.length - 1}/*` }],
  ['201', 201, {}],
  ['203', 203, {}],
])('%s is the file', async (_name, code, headers) => {
  const length = { 'content-length': FILE.length };
  expect(await fetched((_, response) => void response.writeHead(code, { ...length, ...headers }).end(FILE))).toBe(
    sha256(FILE),
  );
  const less = fetched((_, response) => {
    response.writeHead(code, { ...length, ...headers });
    response.write(FILE.subarray(1), () => setTimeout(() => response.socket?.destroy(), 20));
  });
  await expect(less).rejects.toMatchObject({ reason: 'short' });
});
