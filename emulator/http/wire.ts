/** Puts an answer on the wire, whole or broken in the ways that a fault asks for. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FaultActions } from '../faults/fault-actions.js';
import type { AppliedFaults } from '../faults/fault-engine.js';
import type { WireAnswer } from '../model/world.js';

const FLUSH_MS = 30;
const BOMB_MEGABYTES = 52;
const DRIP_TICK_MS = 100;

/** Sends the answer; a HEAD request gets the headers alone. */
export async function send(response: ServerResponse, whole: WireAnswer, faults: AppliedFaults): Promise<void> {
  const socket = response.socket;
  if (socket === null || socket.destroyed) return;
  const answer = await encoded(padded(whole, faults), faults);
  const cut = faults.get('cut-body');
  if (cut !== undefined) return sendCut(socket, answer, cut);
  const drip = faults.get('drip');
  if (drip !== undefined) return sendDrip(socket, answer, rateOf(drip, answer));
  if (faults.get('endless-body') !== undefined) return sendEndless(socket, answer);
  const bomb = faults.get('gzip-bomb');
  if (bomb !== undefined) return sendBomb(response, answer, bomb.megabytes ?? BOMB_MEGABYTES);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
  response.end(response.req.method === 'HEAD' ? undefined : answer.body);
}

function padded(answer: WireAnswer, faults: AppliedFaults): WireAnswer {
  const pad = faults.get('pad-body');
  if (pad === undefined) return answer;
  const before = Buffer.from(pad.before ?? '');
  const body = Buffer.concat([before, answer.body, Buffer.alloc(pad.bytesAfter ?? 0)]);
  const { handleSpan: span } = answer;
  if (span === undefined) return { ...answer, body };
  return { ...answer, body, handleSpan: { start: span.start + before.length, end: span.end + before.length } };
}

async function encoded(answer: WireAnswer, faults: AppliedFaults): Promise<WireAnswer> {
  if (faults.get('encode-gzip') === undefined) return answer;
  const body = await promisify(gzip)(answer.body);
  return { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' }, body };
}

function rateOf(drip: FaultActions['drip'], answer: WireAnswer): number {
  return 'overSeconds' in drip ? Math.max(1, answer.body.length) / drip.overSeconds : drip.bytesPerSecond;
}

/** Ends the connection with FIN and reads nothing more. */
export function closeConnection(socket: Socket): void {
  socket.end();
  // A client that never closes its side would keep the socket for ever.
  setTimeout(() => socket.destroy(), 2000).unref();
}

/** Ends the connection with RST. */
export function resetConnection(socket: Socket): void {
  socket.resetAndDestroy();
}

/** The head is written by hand, because node:http refuses to send what does not fit its own Content-Length. */
function writeHead(socket: Socket, answer: WireAnswer, more: Record<string, string>): void {
  const headers = { ...answer.headers, ...more, connection: 'close', date: new Date().toUTCString() };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const statusLine = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`;
  socket.write(`${[statusLine, ...lines].join('\r\n')}\r\n\r\n`);
}

function asChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

function cutAt(answer: WireAnswer, at: FaultActions['cut-body']['at']): number {
  if (typeof at === 'number') return Math.min(at, answer.body.length);
  const span = answer.handleSpan;
  if (at === 'half' || span === undefined) return Math.floor(answer.body.length / 2);
  // "After the handle" keeps its closing quote, so that a reader can be sure that the handle is complete.
  return at === 'inside-handle' ? Math.floor((span.start + span.end) / 2) : span.end + 1;
}

async function sendCut(socket: Socket, answer: WireAnswer, cut: FaultActions['cut-body']): Promise<void> {
  const part = answer.body.subarray(0, cutAt(answer, cut.at));
  const framing = cut.framing ?? 'content-length';
  if (framing === 'content-length') writeHead(socket, answer, { 'content-length': String(answer.body.length) });
  else if (framing === 'chunked') writeHead(socket, answer, { 'transfer-encoding': 'chunked' });
  else writeHead(socket, answer, {});
  if (part.length > 0) socket.write(framing === 'chunked' ? asChunk(part) : part);
  // A reset may overtake bytes that the client has not read yet; the pause lets them arrive first.
  await pause(FLUSH_MS);
  if (cut.end === 'reset') resetConnection(socket);
  else closeConnection(socket);
}

async function sendDrip(socket: Socket, answer: WireAnswer, bytesPerSecond: number): Promise<void> {
  writeHead(socket, answer, { 'content-length': String(answer.body.length) });
  const startMs = performance.now();
  for (let sent = 0; sent < answer.body.length && !socket.destroyed; ) {
    const due = Math.min(answer.body.length, Math.ceil(((performance.now() - startMs) / 1000) * bytesPerSecond));
    if (due > sent) socket.write(answer.body.subarray(sent, due));
    sent = Math.max(sent, due);
    await pause(DRIP_TICK_MS);
  }
  closeConnection(socket);
}

async function sendEndless(socket: Socket, answer: WireAnswer): Promise<void> {
  writeHead(socket, answer, { 'transfer-encoding': 'chunked' });
  if (answer.body.length > 0) socket.write(asChunk(answer.body));
  const filler = asChunk(Buffer.alloc(65_536, 0x20));
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  while (!socket.destroyed) {
    if (socket.write(filler)) continue;
    await Promise.race([gone, new Promise<void>((resolve) => socket.once('drain', () => resolve()))]);
  }
}

async function sendBomb(response: ServerResponse, answer: WireAnswer, megabytes: number): Promise<void> {
  const body = await promisify(gzip)(Buffer.alloc(megabytes * 1024 * 1024), { level: 9 });
  const headers = { ...answer.headers, 'content-encoding': 'gzip', 'content-length': String(body.length) };
  response.writeHead(answer.status, headers);
  response.end(body);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
