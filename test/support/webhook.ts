// A real HTTP server that takes notices: it keeps what arrives and answers as it is told.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrived {
  body: string;
  headers: IncomingHttpHeaders;
}

export interface Webhook {
  url: string;
  arrived: Arrived[];
  /** The status of the next answers; `hang` answers never. */
  answer: number | 'hang';
  close(): Promise<void>;
}

export async function startWebhook(answer: Webhook['answer'] = 204): Promise<Webhook> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      arrived.push({ body: Buffer.concat(parts).toString(), headers: request.headers });
      if (webhook.answer === 'hang') return;
      response.writeHead(webhook.answer, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook: Webhook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-path`,
    arrived,
    answer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return webhook;
}
