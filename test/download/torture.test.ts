import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDownloader, DownloadError } from '../../src/service/download.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createOutputs, OutputRefused } from '../../src/store/outputs.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { type Answer, serve, sha256, status } from './broken-server.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../store/fixtures', name));
const CLIP = fixture('slow.mp4');
const OTHER = fixture('fast.mp4');
const BIG = Buffer.alloc(3_000_000, 1);
const longTail = (bytes: number) => Buffer.concat([CLIP, Buffer.alloc(bytes)]);
const HALF = Math.floor(CLIP.length / 2);
const HTML = Buffer.from('<!doctype html><html><head><title>Not found</title></head></html>');
const TAG = { etag: '"one"' };

/** A frame of one block that is stored as it is (RFC 8878). */
const zstd = (body: Buffer): Buffer => {
  const [head, size, block] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32LE(body.length);
  block.writeUInt32LE((body.length << 3) | 1);
  return Buffer.concat([head, size, block.subarray(0, 3), body]);
};

type Headers = Record<string, string | number>;

const whole =
  (headers: Headers = {}, body: Buffer = CLIP): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-length': body.length, ...headers }).end(body);

/** Promises all, gives so many bytes, and hangs up. */
const breaksAt =
  (bytes: number, headers: Headers = {}, how: 'reset' | 'end' = 'reset', body: Buffer = CLIP): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': body.length, ...headers });
    response.write(body.subarray(0, bytes), () =>
      setTimeout(() => (how === 'reset' ? response.socket?.resetAndDestroy() : response.socket?.end()), 10),
    );
  };

const chunked =
  (body: Buffer, ends: 'whole' | 'cut'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'transfer-encoding': 'chunked' });
    response.write(body, () =>
      setTimeout(() => (ends === 'whole' ? response.end() : response.socket?.resetAndDestroy()), 10),
    );
  };

/** Until the connection closes, as HTTP/1.0 did: nothing says how long it is. */
const closeDelimited =
  (body: Buffer): Answer =>
  (_, response) => {
    response.socket?.end(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'), body]));
  };

const partial =
  (contentRange: string, headers: Headers, body: Buffer): Answer =>
  (_, response) =>
    void response
      .writeHead(206, { 'content-range': contentRange, 'content-length': body.length, ...headers })
      .end(body);

const rest = (headers: Headers = TAG, start = HALF): Answer =>
  partial(`bytes ${start}-${CLIP.length - 1}/${CLIP.length}`, headers, CLIP.subarray(start));

const endlessly =
  (piece: Buffer): Answer =>
  (_, response) => {
    response.writeHead(200);
    const write = (): void => {
      if (!response.destroyed) response.write(piece, write);
    };
    write();
  };

const drip =
  (headers: Headers): Answer =>
  (_, response) => {
    response.writeHead(200, headers);
    const timer = setInterval(() => response.write(CLIP.subarray(0, 1)), 10);
    response.on('close', () => clearInterval(timer));
  };

const hangsUp: Answer = (request) => void request.socket.resetAndDestroy();
const raw =
  (text: string): Answer =>
  (_, response) =>
    void response.socket?.end(text);
const to = (location: string): Answer => status(302, { location });

/** A broken start that still lets the right file come. */
const MENDED: [string, Answer[]][] = [
  ['gzip that says so', [whole({ 'content-encoding': 'gzip' }, gzipSync(CLIP))]],
  ['an encoding of its own over plain bytes', [whole({ 'content-encoding': 'zstd' })]],
  ['a reset in the middle, then the range', [breaksAt(HALF, TAG), rest()]],
  ['a short body, then the range', [breaksAt(HALF, TAG, 'end'), rest()]],
  ['a reset without a tag, then all again', [breaksAt(HALF), whole()]],
  ['a reset with a weak tag, then all again', [breaksAt(HALF, { etag: 'W/"one"' }), whole({ etag: 'W/"one"' })]],
  ['a range that is ignored', [breaksAt(HALF, TAG), whole(TAG)]],
  ['a range that starts elsewhere', [breaksAt(HALF, TAG), rest(TAG, 7), whole(TAG)]],
  ['a range of a file of another length', [breaksAt(HALF, TAG), partial('bytes 1-9/10', TAG, HTML), whole(TAG)]],
  ['a range without a place', [breaksAt(HALF, TAG), partial('', TAG, CLIP.subarray(HALF)), whole(TAG)]],
  ['a range in words', [breaksAt(HALF, TAG), partial('bytes all', TAG, CLIP), whole(TAG)]],
  ['a range with another tag', [breaksAt(HALF, TAG), rest({ etag: '"two"' }), whole(TAG)]],
  ['a range that is refused (416)', [breaksAt(HALF, TAG), status(416), whole(TAG)]],
  ['a server in trouble after the reset', [breaksAt(HALF, TAG), status(503), status(500), rest()]],
  ['a connection that is refused after the reset', [breaksAt(HALF, TAG), hangsUp, rest()]],
  ['a broken range, then the next', [breaksAt(HALF, TAG), hangsUp, breaksAt(3, TAG), rest()]],
  ['chunks that are cut, then all', [chunked(CLIP.subarray(0, HALF), 'cut'), whole()]],
  ['whole chunks without a length', [chunked(CLIP, 'whole')]],
  ['a whole body up to the close', [closeDelimited(CLIP)]],
  ['three redirects', [to('/a'), to('/b'), to('/c'), whole()]],
  ['a wrong type and a name that lies', [whole({ 'content-type': 'text/html', 'content-disposition': 'a.exe' })]],
  ['a tag in odd quotes', [breaksAt(HALF, { etag: 'one' }), whole({ etag: 'one' })]],
];

/** What must never be taken for the file. */
const REFUSED: [string, Answer[]][] = [
  ['a short body, always', [breaksAt(HALF, {}, 'end')]],
  ['a reset, always', [breaksAt(HALF, TAG)]],
  ['chunks that are cut, always', [chunked(CLIP.subarray(0, HALF), 'cut')]],
  ['chunks that end well and early', [chunked(CLIP.subarray(0, HALF), 'whole')]],
  ['a close in the middle without a length', [closeDelimited(CLIP.subarray(0, HALF))]],
  ['the last byte missing', [closeDelimited(CLIP.subarray(0, -1))]],
  ['a length that lies low', [raw(`HTTP/1.1 200 OK\r\ncontent-length: ${HALF}\r\n\r\n${CLIP.toString('latin1')}`)]],
  ['two lengths', [raw('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\nhello')]],
  ['a length below zero', [raw('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nhello')]],
  ['zero bytes, promised', [whole({}, Buffer.alloc(0))]],
  ['zero bytes in chunks', [chunked(Buffer.alloc(0), 'whole')]],
  ['another file after the reset', [breaksAt(HALF), whole({}, OTHER)]],
  ['another tag after the reset', [breaksAt(HALF, TAG), whole({ etag: '"two"' }, OTHER)]],
  ['a range of another file', [breaksAt(HALF, TAG), rest({ etag: '"two"' }), whole({ etag: '"two"' }, OTHER)]],
  ['an endless body', [endlessly(BIG)]],
  ['an endless body of a clip over and over', [endlessly(CLIP)]],
  ['a promise beyond the cap', [whole({}, Buffer.concat([CLIP, BIG, BIG]))]],
  ['a drip', [drip({})]],
  ['a drip with a length', [drip({ 'content-length': CLIP.length })]],
  ['silence after the headers', [(_, response) => void response.writeHead(200, { 'content-length': 9 }).write('x')]],
  ['silence', [() => undefined]],
  ['HTML', [whole({ 'content-type': 'text/html' }, HTML)]],
  ['HTML that calls itself a video', [whole({ 'content-type': 'video/mp4' }, HTML)]],
  ['an error in JSON', [whole({ 'content-type': 'application/json' }, Buffer.from('{"error":"expired"}'))]],
  ['XML', [whole({}, Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'))]],
  ['plain text', [whole({}, Buffer.from('expired'))]],
  ['a picture for a clip', [whole({ 'content-type': 'video/mp4' }, fixture('a.png'))]],
  ['a sound for a clip', [whole({}, fixture('a.mp3'))]],
  ['the magic of a clip and nothing else', [whole({}, Buffer.concat([CLIP.subarray(0, 12), Buffer.alloc(5_000)]))]],
  ['bytes of nothing', [whole({}, Buffer.alloc(5_000, 0xa5))]],
  ['gzip that does not say so', [whole({}, gzipSync(CLIP))]],
  ['a bomb', [whole({ 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(20_000_000)))]],
  ['a bomb that begins as a clip', [whole({ 'content-encoding': 'gzip' }, gzipSync(longTail(20_000_000)))]],
  ['brotli that is none', [whole({ 'content-encoding': 'br' })]],
  ['an encoding that nobody here can undo', [whole({ 'content-encoding': 'zstd' }, zstd(CLIP))]],
  ['a cut clip under an encoding of its own', [breaksAt(HALF, { 'content-encoding': 'zstd' }, 'end')]],
  ['a part that nobody asked for', [partial(`bytes 0-9/${CLIP.length}`, {}, CLIP.subarray(0, 10))]],
  ['no content', [status(204)]],
  ['not modified', [status(304)]],
  ['forbidden', [status(403)]],
  ['gone', [status(410)]],
  ['a server in trouble', [status(500)]],
  ['four redirects', [to('/a'), to('/b'), to('/c'), to('/d'), whole()]],
  ['a redirect in a circle', [to('/a')]],
  ['a redirect to nowhere', [status(302)]],
  ['a redirect to a private address', [to('https://10.0.0.1/a.mp4')]],
  ['a redirect to a file', [to('file:///etc/passwd')]],
  ['no HTTP at all', [raw('SSH-2.0-OpenSSH_9.6\r\n')]],
  ['headers without an end', [raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)]],
  ['a hang-up', [hangsUp]],
];

async function land(answers: Answer[]) {
  const root = temporaryFolder();
  const server = await serve(...answers);
  const downloader = createDownloader({
    allowLoopback: true,
    userAgent: 'callsheet/test',
    maxBytes: 2_000_000,
    minBytesPerSecond: 2_000,
    rateWindowMs: 300,
    idleTimeoutMs: 1_000,
    headersTimeoutMs: 1_000,
    resumesMax: 3,
  });
  try {
    const { stream } = await downloader.fetchOutput(server.url);
    const options = { stem: 'a', position: 0, attemptName: 'a-1', expected: 'video', onExists: 'fail' } as const;
    const { file } = await createOutputs(createFolderStore(root), 'b').save(stream, options);
    return { root, file };
  } catch (error) {
    return { root, error };
  } finally {
    await downloader.close();
  }
}

const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));

describe('F40-F44, I7, I8: broken servers', () => {
  // The container library takes its time to load once.
  beforeAll(() => land([whole()]), 120_000);

  test('are at least 40', () => {
    expect(MENDED.length + REFUSED.length).toBeGreaterThanOrEqual(40);
  });

  test.each(MENDED)('%s: the file lands whole', async (_, answers) => {
    const { root, file, error } = await land(answers);
    expect(error).toBeUndefined();
    expect(file).toMatchObject({ bytes: CLIP.length, sha256: sha256(CLIP), durationSeconds: expect.any(Number) });
    expect(readFileSync(join(root, 'b/media/a.mp4'))).toEqual(CLIP);
    expect(filesIn(root)).toEqual(['a.mp4']);
  });

  test.each(REFUSED)('%s: nothing is accepted and nothing is left', async (_, answers) => {
    const { root, error } = await land(answers);
    expect(error instanceof DownloadError || error instanceof OutputRefused, String(error)).toBe(true);
    expect(filesIn(root)).toEqual([]);
  });
});
