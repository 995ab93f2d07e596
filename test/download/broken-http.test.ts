// A host that answers, but not in HTTP, is not one that cannot be reached: whoever looks for the fault looks elsewhere.
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createDownloader, type DownloadError, type Downloader } from '../../src/service/download.js';

let downloader: Downloader | undefined;
let server: Server | undefined;

afterEach(async () => {
  await downloader?.close();
  server?.close();
});

/** The error of a download whose answer is these bytes. */
async function errorOf(answer: string): Promise<DownloadError> {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
  return downloader.fetchOutput(`http://127.0.0.1:${port}/clip.mp4?signature=secret`).then(
    () => expect.fail('it came through'),
    (error: DownloadError) => error,
  );
}

const OK = 'HTTP/1.1 200 OK\r\n';

test.each([
  [
    'two lengths',
    `${OK}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd`,
    /does not have the length that it gives \(UND_/,
  ],
  [
    'a length beside chunks',
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    /the length that it/,
  ],
  [
    'a length that is none',
    `${OK}content-length: many\r\n\r\nabcd`,
    /: Invalid character in Content-Length \(HTTPParser/,
  ],
  [
    'headers without end',
    `${OK}x: ${'a'.repeat(200_000)}\r\n\r\n`,
    /its headers are too long \(UND_ERR_HEADERS_OVERFLOW\)/,
  ],
  ['a header with a forbidden name', `${OK}a b: c\r\n\r\n`, /: Invalid header token \(/],
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n', /: Expected HTTP/],
])('%s', async (_name, answer, how) => {
  const { reason, message } = await errorOf(answer);
  expect(reason).toBe('unreachable');
  expect(message).toMatch(how);
  expect(message).toMatch(/^127\.0\.0\.1 was reached, but its answer breaks HTTP: /);
});
