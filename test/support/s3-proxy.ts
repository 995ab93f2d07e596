// Between the SDK and a real S3 server: passes requests on, and breaks those that a test names.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Access } from '../../src/store/s3.js';
import type { S3Server } from './s3-server.js';

export interface Answer {
  status: number;
  body: string | Buffer;
}

export interface Fault {
  /** `PUT /bucket/key?query` and its headers. */
  when(line: string, headers: IncomingMessage['headers']): boolean;
  /** How often it happens; always when absent. */
  times?: number;
  /** Happens before the request is passed on. */
  before?: () => Promise<void>;
  /** Changes the body on its way to the server. */
  change?: (body: Buffer) => Buffer;
  /** Said instead of passing the request on. */
  instead?: Answer | 'reset';
  /** Said after the server did what was asked for. */
  afterwards?: (real: Answer) => Answer | 'reset';
}

export interface S3Proxy {
  access: S3Access;
  faults: Fault[];
  /** Every request, as `PUT /bucket/key?query`. */
  requests: string[];
  stop(): Promise<void>;
}

/** An error as S3 tells it. */
export function s3Error(status: number, code: string): Answer {
  return {
    status,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>x</Message></Error>`,
  };
}

export async function startS3Proxy(server: S3Server): Promise<S3Proxy> {
  const faults: Fault[] = [];
  const requests: string[] = [];
  const proxy = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    const fault = faults.find(({ when, times }) => times !== 0 && when(line, request.headers));
    if (fault?.times !== undefined) fault.times -= 1;
    void handle(server, fault, request, response);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    access: { ...server.access, settings: { ...server.settings, endpoint: `http://127.0.0.1:${port}` } },
    faults,
    requests,
    stop: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

async function handle(server: S3Server, fault: Fault | undefined, request: IncomingMessage, response: ServerResponse) {
  const sent = await bodyOf(request);
  const body = fault?.change?.(sent) ?? sent;
  await fault?.before?.();
  if (fault?.instead !== undefined) return say(response, fault.instead, {});
  const upstream = httpRequest({
    host: '127.0.0.1',
    port: server.port,
    method: request.method,
    path: request.url,
    headers: request.headers,
  });
  upstream.on('error', () => response.destroy());
  upstream.on('response', async (real: IncomingMessage) => {
    const answer: Answer = { status: real.statusCode ?? 500, body: await bodyOf(real) };
    say(response, fault?.afterwards?.(answer) ?? answer, real.headers);
  });
  upstream.end(body);
}

function say(response: ServerResponse, answer: Answer | 'reset', headers: IncomingMessage['headers']): void {
  if (answer === 'reset') {
    response.socket?.destroy();
    return;
  }
  const { 'transfer-encoding': _, ...kept } = headers;
  const length = response.req.method === 'HEAD' ? {} : { 'content-length': String(Buffer.byteLength(answer.body)) };
  response.writeHead(answer.status, { ...kept, ...length });
  response.end(answer.body);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
