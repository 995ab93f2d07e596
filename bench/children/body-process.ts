// Serves bodies of any length from one buffer: GET /<bytes> as fast as it is read, /<bytes>?line=<bytes a second> with all
// of these answers sharing one line. With a strong tag, as file servers send it. Sends its address as one message.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const PIECE = randomBytes(1 << 20);
let lineFreeAtMs = 0;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench');
  const total = Number(pathname.slice(1));
  const line = Number(searchParams.get('line') ?? Number.POSITIVE_INFINITY);
  response.writeHead(200, { 'content-length': total, 'content-type': 'application/octet-stream', etag: `"${total}"` });
  // Who goes away in the middle is the reader's own affair.
  pipeline(Readable.from(piecesOf(total, line)), response).catch(() => undefined);
});

async function* piecesOf(total: number, line: number): AsyncIterable<Uint8Array> {
  for (let left = total; left > 0; left -= PIECE.length) {
    if (Number.isFinite(line)) await turnOnLine(PIECE.length / line);
    yield PIECE.subarray(0, Math.min(left, PIECE.length));
  }
}

async function turnOnLine(seconds: number): Promise<void> {
  const nowMs = performance.now();
  lineFreeAtMs = Math.max(lineFreeAtMs, nowMs) + seconds * 1_000;
  if (lineFreeAtMs > nowMs) await sleep(lineFreeAtMs - nowMs);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}` });
});
process.on('disconnect', () => process.exit());
