/** What the emulator's tests share: a running emulator, a client that speaks plain HTTP, media, and a media server. */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { request as undiciRequest } from 'undici';
import { afterEach, expect } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../emulator/emulator.js';
import { makePng } from '../../emulator/media/media-png.js';

export type Json = Record<string, unknown>;

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; `{}` where it is none. */
  json: Json;
}

export interface TestEmulator extends Emulator {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
}

const running: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

export const KEY = 'sk-svc-emulator';
export const HEADERS = { 'x-api-key': KEY, 'user-agent': 'callsheet-test/1.0', 'content-type': 'application/json' };

/** Starts an emulator that ends with the test; renders are 2,000 times as fast unless the options say otherwise. */
export async function emulator(options: EmulatorOptions = {}): Promise<TestEmulator> {
  const started = await startEmulator({ speed: 2000, ...options });
  running.push(() => started.close());
  return {
    ...started,
    get: (path, headers) => request(started.url + path, { headers: headers ?? HEADERS }),
    post: (path, body, headers) =>
      request(started.url + path, {
        method: 'POST',
        headers: headers ?? HEADERS,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

/** One request on the wire; unlike fetch, undici's request never sends it twice and never follows a redirect. */
export async function request(
  url: string,
  init: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
): Promise<Reply> {
  const response = await undiciRequest(url, init);
  const text = await response.body.text();
  let json: Json = {};
  try {
    json = JSON.parse(text) as Json;
  } catch {
    // Some answers are not JSON on purpose.
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  return { status: response.statusCode, headers, text, json };
}

/** Reads a value inside JSON by a dotted path (`data.0.url`). */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name], value);
}

/** Repeats a poll until `isDone`; the test's own time-out is the only clock. */
export async function pollUntil(poll: () => Promise<Reply>, isDone: (json: Json) => boolean): Promise<Json> {
  for (;;) {
    const reply = await poll();
    expect(reply.status, reply.text).toBe(200);
    if (isDone(reply.json)) return reply.json;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until a condition holds. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function png(width: number, height: number): Promise<Buffer> {
  return makePng({ width, height, look: `${width}x${height}`, tag: 'test' });
}

export async function pngUri(width: number, height: number): Promise<string> {
  return `data:image/png;base64,${(await png(width, height)).toString('base64')}`;
}

/** A silent 16-bit mono WAV of so many seconds. */
export function wav(seconds: number): Buffer {
  const rate = 8000;
  const data = Buffer.alloc(Math.round(rate * seconds) * 2);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** A loopback server that ends with the test; returns its URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A loopback server with files by path. */
export function serveFiles(files: Record<string, Buffer>): Promise<string> {
  return serve((incoming, response) => {
    const file = files[incoming.url ?? ''];
    response.writeHead(file === undefined ? 404 : 200);
    response.end(file);
  });
}

/** One row of a table of request bodies: what is changed in a good body, and what the emulator answers. */
export type BodyCase = [what: string, change: Json, status: number, says?: string | RegExp];

/** Merges a change into a body; undefined takes a field out. */
export function changed(body: Json, change: Json): Json {
  return Object.fromEntries(Object.entries({ ...body, ...change }).filter(([, value]) => value !== undefined));
}

/** Posts a changed body and checks the status, and that the refusal says what it should. */
export async function checkCase(emu: TestEmulator, path: string, body: Json, row: BodyCase): Promise<Reply> {
  const [what, change, status, says] = row;
  const reply = await emu.post(path, changed(body, change));
  expect(reply.status, `${what}: ${reply.text.slice(0, 300)}`).toBe(status);
  if (says !== undefined) expect(reply.text, what).toMatch(says);
  return reply;
}

/** What the client sees of a connection, byte by byte: the text, and whether it ended with FIN or RST. */
export function rawPost(emu: TestEmulator, path: string, body: Json): Promise<{ text: string; end: 'fin' | 'reset' }> {
  const payload = JSON.stringify(body);
  const head = Object.entries({ host: 'x', ...HEADERS, 'content-length': String(payload.length) });
  return new Promise((resolve) => {
    const socket = connect({ port: emu.port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.on('data', (part) => {
      text += part.toString('latin1');
    });
    socket.on('end', () => {
      resolve({ text, end: 'fin' });
      socket.destroy();
    });
    socket.on('error', () => resolve({ text, end: 'reset' }));
    socket.write(
      `POST ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${payload}`,
    );
  });
}
