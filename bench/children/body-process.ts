// Serves bodies of any length from one buffer: GET /<bytes>. Sends its address as one message.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const PIECE = randomBytes(1 << 20);

const server = createServer((request, response) => {
  const total = Number(request.url?.slice(1) ?? 0);
  response.writeHead(200, { 'content-length': total, 'content-type': 'application/octet-stream' });
  // Who goes away in the middle is the reader's own affair.
  pipeline(Readable.from(piecesOf(total)), response).catch(() => undefined);
});

function* piecesOf(total: number): Iterable<Uint8Array> {
  for (let left = total; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}` });
});
process.on('disconnect', () => process.exit());
