/** The HTTP side: takes each request from its first byte to its last, through faults, admission and its handler. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type FaultSubject, NO_FAULTS } from '../faults/fault-engine.js';
import { answerWithFaults } from '../faults/faulty-answers.js';
import type { Output } from '../media/outputs.js';
import { ServiceError } from '../model/errors.js';
import type { RequestRecord } from '../model/truth.js';
import type { Answer, Call, Route, World } from '../model/world.js';
import { admit } from './admission.js';
import { controlAnswer } from './control.js';
import { findOutput, mediaAnswer } from './media-routes.js';
import type { Router } from './router.js';
import { closeConnection, resetConnection, send, type WireAnswer } from './wire.js';

interface Exchange {
  world: World;
  router: Router;
  request: IncomingMessage;
  response: ServerResponse;
  occurrences: Map<string, number>;
}

/** Makes the server; it does not listen yet. */
export function createEmulatorServer(world: World, router: Router): Server {
  const occurrences = new Map<string, number>();
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (request, response) => {
    serve({ world, router, request, response, occurrences }).catch((error: unknown) => {
      // Only a client that left while it sent may end here quietly; a defect of the emulator must be seen.
      if (!request.destroyed || request.complete) {
        process.stderr.write(`emulator: ${error instanceof Error ? error.stack : String(error)}\n`);
      }
      response.socket?.destroy();
    });
  });
  server.on('connection', (socket: Socket) => onConnection(world, socket));
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

async function serve(exchange: Exchange): Promise<void> {
  const { world, router, request, response } = exchange;
  world.scheduler.runDue();
  const url = new URL(request.url ?? '/', 'http://emulator');
  const path = url.pathname;
  if (path === '/openapi.json' || path.startsWith('/_')) {
    return send(response, await controlAnswer(world, router, request, url), NO_FAULTS);
  }
  const isMedia = path.startsWith('/media/');
  const output = isMedia ? findOutput(world, path) : undefined;
  const method = request.method ?? 'GET';
  const found = router.find(method, path);
  const names = isMedia ? ['media'] : (found?.route.names ?? ['unknown']);
  const record = openRecord(exchange, method, path, names[0] ?? 'unknown');
  const about = aboutJob(world, found?.params.handle, output);
  const more = method === 'GET' ? found?.route.namesFor?.({ kind: about.kind }) : undefined;
  const subject: FaultSubject = { method, path, names: [...names, ...(more ?? [])], ...about };

  const unread = world.faults.match('unread', subject);
  if (unread !== NO_FAULTS) return breakOff(request, record, unread.names);
  if (isMedia) return serveMedia(exchange, url, output, subject, record);
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  let call: Call;
  try {
    call = await admit({
      world,
      router,
      request,
      found,
      path,
      record,
      subject,
      requestId,
      occurrences: exchange.occurrences,
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const make = (): WireAnswer => refuse(error, found?.route, requestId);
    return answerWithFaults({ world, response, record, faults: NO_FAULTS, isRead: true, make });
  }
  return answerWithFaults({
    world,
    response,
    record,
    faults: call.faults,
    isRead: method === 'GET',
    call,
    refuse: (error) => refuse(error, call.route, requestId),
    make: async () => toWire(await call.route.handler(call)),
  });
}

function breakOff(request: IncomingMessage, record: RequestRecord, names: readonly string[]): void {
  record.faults = [...names];
  record.ending = names.includes('reset-unread') ? 'reset' : 'closed';
  if (record.ending === 'reset') resetConnection(request.socket);
  else closeConnection(request.socket);
}

async function serveMedia(
  { world, request, response }: Exchange,
  url: URL,
  output: Output | undefined,
  subject: FaultSubject,
  record: RequestRecord,
): Promise<void> {
  const faults = world.faults.match('read', subject);
  if (faults.names.length > 0) record.faults = [...faults.names];
  const job = output === undefined ? undefined : world.recorder.job(output.jobId);
  if (job !== undefined) record.jobId = job.id;
  response.once('finish', () => {
    const kept = job?.outputs.find((one) => one.id === output?.id);
    if (kept !== undefined && request.method === 'GET' && record.status === 200) kept.downloads += 1;
  });
  const make = (): Promise<WireAnswer> => mediaAnswer(world, output, url.searchParams, request.headers, faults);
  return answerWithFaults({ world, response, record, faults, isRead: true, make });
}

function aboutJob(world: World, handle: string | undefined, output: Output | undefined): Partial<FaultSubject> {
  const record = output === undefined ? world.jobs.get(handle ?? '')?.record : world.recorder.job(output.jobId);
  if (record === undefined) return {};
  return { kind: record.kind, jobKeys: record.handle === undefined ? [record.id] : [record.id, record.handle] };
}

function openRecord(
  { world, request, response }: Exchange,
  method: string,
  path: string,
  route: string,
): RequestRecord {
  const userAgent = request.headers['user-agent'];
  const arrivedMs = world.clock.nowMs();
  const record = world.recorder.request({
    arrivedMs,
    method,
    path,
    route,
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  response.once('close', () => {
    record.endedMs = world.clock.nowMs();
    record.ending ??= response.writableFinished ? 'answered' : record.status === undefined ? 'client_gone' : 'broken';
    world.options.verbose?.(lineOf(record));
  });
  return record;
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

function refuse(error: ServiceError, route: Route | undefined, requestId: string): WireAnswer {
  const plain = error.body(requestId);
  const body = route?.errorBody?.(plain, error, requestId) ?? plain;
  return toWire({ status: error.status, body, headers: error.headers });
}

function toWire(answer: Answer): WireAnswer {
  const wire: WireAnswer = {
    status: answer.status,
    headers: { 'content-type': 'application/json', ...answer.headers },
    body: Buffer.from(JSON.stringify(answer.body)),
  };
  const start = answer.handle === undefined ? -1 : wire.body.indexOf(answer.handle);
  if (answer.handle !== undefined && start >= 0) {
    wire.handleSpan = { start, end: start + Buffer.byteLength(answer.handle) };
  }
  return wire;
}
