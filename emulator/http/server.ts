/** The HTTP side: reads requests from their sockets for the service, and puts on the wire what it says. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NO_FAULTS } from '../faults/fault-engine.js';
import { detailError } from '../model/errors.js';
import type { RequestRecord } from '../model/truth.js';
import type { World } from '../model/world.js';
import type { Service } from '../service/service.js';
import { controlAnswer } from './control.js';
import { closeConnection, resetConnection, send } from './wire.js';

const BODY_BYTES_MAX = 256 * 1024 * 1024;

/** Makes the server; it does not listen yet. */
export function createEmulatorServer(service: Service): Server {
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (request, response) => {
    serve(service, request, response).catch((error: unknown) => {
      // Only a client that left while it sent may end here quietly; a defect of the emulator must be seen.
      if (!request.destroyed || request.complete) {
        process.stderr.write(`emulator: ${error instanceof Error ? error.stack : String(error)}\n`);
      }
      response.socket?.destroy();
    });
  });
  server.on('connection', (socket: Socket) => onConnection(service.world, socket));
  return server;
}

function onConnection(world: World, socket: Socket): void {
  world.recorder.connections += 1;
  const faults = world.faults.match('connection', { method: '', path: '', names: ['connection'] });
  if (faults.get('reset-unread') !== undefined) resetConnection(socket);
  else if (faults.get('close-unread') !== undefined) closeConnection(socket);
  // A paused socket accepts the connection and never reads from it.
  else if (faults.get('stall') !== undefined) socket.pause();
}

async function serve(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { world } = service;
  const { method = 'GET', headers } = request;
  const url = new URL(request.url ?? '/', 'http://emulator');
  const path = url.pathname;
  const body = (): Promise<Buffer> => readBody(request);
  world.scheduler.runDue();
  if (path === '/openapi.json' || path.startsWith('/_')) {
    return send(response, await controlAnswer(service, method, url, body), NO_FAULTS);
  }
  const { record, outgoing, download } = service.take({ method, path, parameters: url.searchParams, headers, body });
  response.once('finish', () => {
    if (download !== undefined && method === 'GET' && record.status === 200) download.downloads += 1;
  });
  response.once('close', () => {
    record.endedMs = world.clock.nowMs();
    record.ending ??= response.writableFinished ? 'answered' : record.status === undefined ? 'client_gone' : 'broken';
    world.options.verbose?.(lineOf(record));
  });
  const sent = await outgoing;
  if (sent.as === 'answer') await send(response, sent.answer, sent.faults);
  else if (sent.as === 'reset') resetConnection(request.socket);
  else if (sent.as === 'closed') closeConnection(request.socket);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    const piece = part as Buffer;
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) throw detailError(413, 'The request body is too large.');
    parts.push(piece);
  }
  return Buffer.concat(parts);
}

function lineOf(record: RequestRecord): string {
  const time = new Date(record.arrivedMs).toISOString().slice(11, 23);
  const tookMs = ((record.endedMs ?? record.arrivedMs) - record.arrivedMs).toFixed(0);
  const path = record.path.length > 90 ? `${record.path.slice(0, 87)}...` : record.path;
  const parts = [time, record.method, path, record.status === undefined ? '-' : String(record.status), `${tookMs}ms`];
  if (record.ending !== undefined && record.ending !== 'answered') parts.push(record.ending);
  if (record.jobId !== undefined) parts.push(record.jobId);
  if (record.faults !== undefined) parts.push(`[${record.faults.join(', ')}]`);
  return parts.join(' ');
}
