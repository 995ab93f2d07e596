/** Sends one request to the service, once, and says what came back: never a redirect, a retry or a second try. */
import type { Socket } from 'node:net';
import { Agent, Client, type Dispatcher } from 'undici';
import type { Exchange, ServiceRequest } from '../domain/exchange.js';
import { redactedExchange } from './answer-bytes.js';
import { createConnector } from './connector.js';
import { type Followed, type FollowOptions, followExchange } from './exchange-handler.js';
import { type ExchangeLimits, exchangeFailure } from './exchange-limits.js';

interface TransportTimeouts {
  /** Name, connection and TLS together. */
  connectMs: number;
  /** Default of `SendOptions.headersTimeoutMs`. */
  headersMs: number;
  /** Default of `SendOptions.bodyTimeoutMs`. */
  bodyMs: number;
  /** Default of `SendOptions.rateWindowMs`. */
  rateWindowMs: number;
  /** A poll or a read from start to end. */
  readTotalMs: number;
}

export interface TransportOptions {
  /** `https://host`, or `http://host:port` for a loopback host; no path. */
  baseUrl: string;
  /** Identifies the application; the avatar routes refuse the default of an HTTP library. */
  userAgent: string;
  /** Read again at each request, so that a rotated key takes effect at once. */
  key: () => string;
  timeouts?: Partial<TransportTimeouts>;
  /** Certificate authorities to trust instead of the built-in ones, PEM. */
  ca?: string;
}

interface SendOptions {
  /** From the first byte sent to the answer's headers, ms. */
  headersTimeoutMs?: number;
  /** So long, ms, the request may take to leave before that counts; not at all if not given. */
  leavingMaxMs?: number;
  /** Longest silence inside the body, ms. */
  bodyTimeoutMs?: number;
  /** For each 64 KiB of the body, ms: a body that keeps arriving has no other end than its size. */
  rateWindowMs?: number;
  maxBodyBytes?: number;
  /** Called synchronously before the first byte is written. When it throws, nothing is sent (`not_sent`, `guard`). */
  beforeSend?: () => void;
}

export interface Transport {
  /** One request, at most once on the wire. Never rejects: what went wrong is in the exchange. */
  send(request: ServiceRequest, options?: SendOptions): Promise<Exchange>;
  /** Waits for what is under way, then closes the connections. A later `send` is `not_sent`. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUTS: TransportTimeouts = {
  connectMs: 10_000,
  headersMs: 300_000,
  bodyMs: 30_000,
  rateWindowMs: 60_000,
  readTotalMs: 15_000,
};

/** The largest documented output as base64, an image of 8192 x 8192 with four bytes a pixel, and a little more. */
const MAX_BODY_BYTES = Math.ceil((8192 * 8192 * 4 * 4) / 3) + 16 * 1024 * 1024;

/** Beyond the connect limit, for the steps around it. */
const START_RESERVE_MS = 2_000;

/** An answer is paid for whatever cookies and policies a gateway writes above it; undici's own limit is 16 KiB. */
const HEADER_BYTES_MAX = 256 * 1024;

const SERVICE_PATH = /^\/v1\//;

/**
 * A POST gets a connection of its own, so that no stale one is ever used and undici has nothing to repeat; that costs
 * one handshake. Polls and reads are free to repeat and share connections.
 */
export function createTransport({ baseUrl, userAgent, key, timeouts, ca }: TransportOptions): Transport {
  const times = { ...DEFAULT_TIMEOUTS, ...timeouts };
  const { origin } = new URL(baseUrl);
  const connectorOptions = { timeoutMs: times.connectMs, ca };
  // The limits are kept by the exchange itself; undici's own clocks are off.
  const clientOptions = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: HEADER_BYTES_MAX } as const;
  const reads = new Agent({ ...clientOptions, pipelining: 1, connect: createConnector(connectorOptions) });
  const underWay = new Set<Promise<Exchange>>();
  let closed = false;

  function submit(dispatch: Dispatcher.DispatchOptions, follow: Omit<FollowOptions, 'unsentBytes'>) {
    let socket: Socket | undefined;
    const connect = createConnector({
      ...connectorOptions,
      onSocket: (opened) => {
        socket = opened;
      },
    });
    const client = new Client(origin, { ...clientOptions, pipelining: 0, connect });
    const followed = followExchange({ ...follow, unsentBytes: () => socket?.writableLength ?? 0 });
    // The answer does not wait for the socket to close.
    void followed.exchange.then(() => client.destroy().catch(() => undefined));
    return dispatchOn(client, dispatch, followed);
  }

  function read(dispatch: Dispatcher.DispatchOptions, { limits, beforeSend }: Omit<FollowOptions, 'unsentBytes'>) {
    const bounded = { ...limits, totalMs: times.readTotalMs };
    return dispatchOn(reads, dispatch, followExchange({ limits: bounded, beforeSend, unsentBytes: () => 0 }));
  }

  async function send(request: ServiceRequest, options: SendOptions = {}): Promise<Exchange> {
    if (closed) return notSent('CLOSED');
    if (!SERVICE_PATH.test(request.path)) return notSent('BAD_PATH');
    let body: Buffer | null;
    let secret: string;
    try {
      body = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
    } catch {
      return notSent('BAD_BODY');
    }
    try {
      secret = key();
    } catch {
      return notSent('KEY_UNAVAILABLE');
    }
    const headers = headersOf(secret, userAgent, body !== null);
    const dispatch = { origin, path: request.path, method: request.method, headers, body };
    const follow = { limits: limitsOf(options, times), beforeSend: options.beforeSend };
    return redactedExchange(await (request.method === 'POST' ? submit : read)(dispatch, follow), secret);
  }

  return {
    send(request, options) {
      const exchange = send(request, options);
      underWay.add(exchange);
      return exchange.finally(() => underWay.delete(exchange));
    },
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
      await reads.destroy();
    },
  };
}

function headersOf(key: string, userAgent: string, hasBody: boolean): Record<string, string> {
  return {
    Authorization: `Bearer ${key}`,
    'User-Agent': userAgent,
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  };
}

function limitsOf(options: SendOptions, times: TransportTimeouts): ExchangeLimits {
  return {
    startTimeoutMs: times.connectMs + START_RESERVE_MS,
    headersTimeoutMs: options.headersTimeoutMs ?? times.headersMs,
    leavingMaxMs: options.leavingMaxMs ?? 0,
    bodyTimeoutMs: options.bodyTimeoutMs ?? times.bodyMs,
    rateWindowMs: options.rateWindowMs ?? times.rateWindowMs,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
  };
}

/** A request that undici refuses to build fails before the hook, by the handler's error callback or by throwing. */
function dispatchOn(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { handler, exchange, fail }: Followed,
): Promise<Exchange> {
  try {
    dispatcher.dispatch(options, handler);
  } catch (error) {
    fail(error);
  }
  return exchange;
}

function notSent(code: string): Exchange {
  return { outcome: 'not_sent', ...exchangeFailure('request', { code }), tookMs: 0 };
}
