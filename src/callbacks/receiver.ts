import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tokenIn } from '../domain/attempt.js';

/** Listens for status updates. Whatever arrives can at most make callsheet ask the service itself. */

export interface CallbackReceiver {
  /** As it can be reached on this machine. */
  readonly address: string;
  close(): Promise<void>;
}

/** What stands behind a receiver: one or more accounts. */
export interface CallbackDesk {
  /** The attempt that was sent with this token, ready to hear the body; undefined for a token that nobody gave out. */
  open(token: string): Promise<((body: Uint8Array) => Promise<void>) | undefined>;
}

export interface ReceiverOptions {
  /** `host:port`; port 0 takes a free one. */
  listen: string;
  desk: CallbackDesk;
  onError(error: unknown): void;
}

const BODY_MAX = 64 * 1024;
const WITHIN_MS = 5_000;
const CONNECTIONS_MAX = 256;
/** A refused sender is read on for so long, so that it sees the answer instead of a reset. */
const LINGER_MS = 2_000;

/** Rejects when the place cannot be listened on. */
export async function startReceiver({ listen, desk, onError }: ReceiverOptions): Promise<CallbackReceiver> {
  const server = createServer(
    {
      maxHeaderSize: 8 * 1024,
      headersTimeout: WITHIN_MS,
      requestTimeout: 2 * WITHIN_MS,
      keepAliveTimeout: WITHIN_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      answer(desk, request, response).catch((error: unknown) => {
        onError(error);
        refuse(request, response, 503);
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  const separator = listen.lastIndexOf(':');
  const host = listen.slice(0, separator).replace(/^\[|\]$/g, '');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(listen.slice(separator + 1)), host, resolve);
  });
  server.on('error', onError);
  return { address: addressOf(server, host), close: () => close(server) };
}

async function answer(desk: CallbackDesk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if (path === '/healthz' && request.method === 'GET') {
    response.writeHead(204).end();
    return;
  }
  const token = tokenIn(path);
  // Wrong method, wrong path and wrong token look the same from outside, and no body is read for any of them.
  const hear = request.method === 'POST' && token !== undefined ? await desk.open(token) : undefined;
  if (hear === undefined) return refuse(request, response, 404);
  const body = await readBody(request);
  if (typeof body === 'number') return refuse(request, response, body);
  await hear(body);
  response.writeHead(204).end();
}

/** The body, or the status that refuses it: 413 above 64 KB, 408 when it takes longer than 5 s or stays cut. */
function readBody(request: IncomingMessage): Promise<Uint8Array | 408 | 413> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_MAX) return Promise.resolve(413);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const end = (result: Uint8Array | 408 | 413): void => {
      clearTimeout(timer);
      request.removeAllListeners('data');
      resolve(result);
    };
    const timer = setTimeout(() => end(408), WITHIN_MS);
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > BODY_MAX) end(413);
      else parts.push(part);
    });
    request.once('end', () => end(Buffer.concat(parts)));
    request.once('error', () => end(408));
    request.once('close', () => end(408));
  });
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  if (response.headersSent) {
    request.destroy();
    return;
  }
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end();
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
}

function addressOf(server: Server, host: string): string {
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The receivers of one process: accounts that listen at the same place share one. */
export interface Switchboard {
  /** Opens the place for an account; rejects with one sentence when it cannot be listened on. */
  connect(account: string, listen: string, desk: CallbackDesk): Promise<void>;
  /** Takes an account out; a place without accounts is closed. */
  disconnect(account: string): Promise<void>;
}

interface Place {
  receiver: CallbackReceiver;
  desks: Map<string, CallbackDesk>;
}

export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code = 'callbacks_listen';
}

export function createSwitchboard(onError: (error: unknown) => void): Switchboard {
  const places = new Map<string, Place>();

  return {
    async connect(account, listen, desk) {
      await this.disconnect(account);
      const place = places.get(listen) ?? (await openPlace(listen));
      places.set(listen, place);
      place.desks.set(account, desk);
    },
    async disconnect(account) {
      for (const [listen, { receiver, desks }] of places) {
        if (!desks.delete(account) || desks.size > 0) continue;
        places.delete(listen);
        await receiver.close();
      }
    },
  };

  async function openPlace(listen: string): Promise<Place> {
    const desks = new Map<string, CallbackDesk>();
    try {
      return { receiver: await startReceiver({ listen, desk: anyOf(desks), onError }), desks };
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new ListenError(`callbacks cannot be received at ${listen} (${why}): change callbacks.listen (--listen)`);
    }
  }
}

/** A token says by itself whose it is. */
function anyOf(desks: ReadonlyMap<string, CallbackDesk>): CallbackDesk {
  return {
    async open(token) {
      for (const desk of desks.values()) {
        const hear = await desk.open(token);
        if (hear !== undefined) return hear;
      }
      return undefined;
    },
  };
}
