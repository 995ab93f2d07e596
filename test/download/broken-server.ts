import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

/** A real server on loopback whose answers a test writes by hand, request by request. */

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface BrokenServer {
  url: string;
  port: number;
  /** The headers of each request, in order. */
  requests: IncomingMessage['headers'][];
}

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** The n-th request gets the n-th answer; the last one answers all that follow. */
export async function serve(...answers: Answer[]): Promise<BrokenServer> {
  const requests: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request.headers);
    response.on('error', () => undefined);
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/media/clip.mp4?signature=secret`, port, requests };
}

export const FILE = Buffer.concat(
  Array.from({ length: 4_096 }, (_, i) => createHash('sha256').update(`${i}`).digest()),
);
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

type Headers = Record<string, string | number>;

/** The whole file (or another) with its length. */
export const whole =
  (headers: Headers = {}, body: Uint8Array = FILE): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': body.length, ...headers }).end(body);
  };

/** Promises the whole file and resets the connection after so many bytes. */
export const resetAfter =
  (bytes: number, headers: Headers = {}, body: Uint8Array = FILE): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': body.length, ...headers });
    response.write(body.subarray(0, bytes), () => setTimeout(() => response.socket?.resetAndDestroy(), 20));
  };

/** The range that was asked for, as a good server gives it; `over` makes it a bad one. */
export const range =
  (headers: Headers = {}, over: { start?: number; total?: number | '*'; body?: Buffer } = {}): Answer =>
  (request, response) => {
    const asked = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1]);
    const start = over.start ?? asked;
    const body = over.body ?? FILE.subarray(start);
    response
      .writeHead(206, {
        'content-length': body.length,
        'content-range': `bytes ${start}-${start + body.length - 1}/${over.total ?? FILE.length}`,
        ...headers,
      })
      .end(body);
  };

export const status =
  (code: number, headers: Headers = {}, body = 'no'): Answer =>
  (_, response) => {
    response.writeHead(code, headers).end(body);
  };
