// Serves bodies of any length from one buffer: GET /<bytes>. Sends its address as one message.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const PIECE = randomBytes(1 << 20);

const server = createServer(async (request, response) => {
  const total = Number(request.url?.slice(1) ?? 0);
  response.writeHead(200, { 'content-length': total, 'content-type': 'application/octet-stream' });
  for (let left = total; left > 0 && !response.destroyed; left -= PIECE.length) {
    if (!response.write(PIECE.subarray(0, Math.min(left, PIECE.length)))) {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  }
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}` });
});
process.on('disconnect', () => process.exit());
