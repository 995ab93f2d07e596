/**
 * Follows one request through undici and says what happened to it. Whether anything was sent is decided by one thing
 * only: undici calls `onRequestStart` synchronously before it writes the first byte, for every write. If that call
 * never came, or was aborted inside, nothing was sent; error codes prove nothing.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Answer, Exchange, LostPhase } from '../domain/exchange.js';
import { first, unpackedAnswer } from './answer-bytes.js';
import { ConnectError } from './connector.js';
import { type Countdown, createCountdown } from './countdown.js';
import { EXPIRED, type ExchangeLimits, exchangeFailure, type Limit, RATE_WINDOW_BYTES } from './exchange-limits.js';

export interface FollowOptions {
  limits: ExchangeLimits;
  /** Called inside the hook, before a byte is written; when it throws, nothing is sent. */
  beforeSend?: (() => void) | undefined;
  /** How much of the request still waits in our own buffers. */
  unsentBytes: () => number;
}

export interface Followed {
  handler: Dispatcher.DispatchHandler;
  /** Never rejects. */
  exchange: Promise<Exchange>;
  /** Ends the exchange with an error that did not come through the handler. */
  fail: (error: unknown) => void;
}

/** One exchange on its way. */
interface Course extends FollowOptions {
  startedAt: number;
  countdown: Countdown<Limit>;
  controller: Dispatcher.DispatchController | undefined;
  /** Time in which the request was seen to wait in our own buffers. */
  leavingMs: number;
  /** The hook returned: from here on bytes may have left. */
  sent: boolean;
  guarded: boolean;
  ended: boolean;
  head: Omit<Answer, 'body'> | undefined;
  encoding: string | string[] | undefined;
  chunks: Uint8Array[];
  bytes: number;
  windowBytes: number;
  resolve: (exchange: Exchange) => void;
}

/** Why we ended an exchange ourselves. */
class Stop extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

export function followExchange(options: FollowOptions): Followed {
  let resolve: Course['resolve'] = () => undefined;
  const exchange = new Promise<Exchange>((settle) => {
    resolve = settle;
  });
  const course: Course = {
    ...options,
    startedAt: performance.now(),
    countdown: createCountdown<Limit>((limit) => {
      if (limit === 'leaving') lookWhetherSent(course);
      else stop(course, EXPIRED[limit]);
    }),
    leavingMs: 0,
    controller: undefined,
    sent: false,
    guarded: false,
    ended: false,
    head: undefined,
    encoding: undefined,
    chunks: [],
    bytes: 0,
    windowBytes: 0,
    resolve,
  };
  course.countdown.set('start', options.limits.startTimeoutMs);
  if (options.limits.totalMs !== undefined) course.countdown.set('total', options.limits.totalMs);
  return {
    handler: {
      onRequestStart: (controller) => start(course, controller),
      onResponseStart: (_controller, status, headers) => receiveHead(course, status, headers),
      onResponseData: (_controller, chunk) => receive(course, chunk),
      onResponseEnd: () => finish(course),
      onResponseError: (_controller, error) => fail(course, error),
    },
    exchange,
    fail: (error) => fail(course, error),
  };
}

/** The hook. A second call would be a second request on the wire, and an ended exchange must not begin any more. */
function start(course: Course, controller: Dispatcher.DispatchController): void {
  if (course.sent || course.ended) {
    controller.abort(new Stop('NOT_REPEATED'));
    return;
  }
  course.controller = controller;
  try {
    course.beforeSend?.();
  } catch {
    course.guarded = true;
    controller.abort(new Stop('GUARD'));
    return;
  }
  course.sent = true;
  course.countdown.clear('start');
  course.countdown.set('headers', course.limits.headersTimeoutMs);
  course.countdown.set('leaving', LOOK_MS);
}

const LOOK_MS = 100;

/** On a slow line a request with media takes its time to leave; the server's own time begins after that. */
function lookWhetherSent(course: Course): void {
  const { countdown, limits, unsentBytes } = course;
  course.leavingMs += LOOK_MS;
  if (course.head !== undefined || unsentBytes() === 0 || course.leavingMs > limits.leavingMaxMs) return;
  countdown.set('headers', limits.headersTimeoutMs);
  countdown.set('leaving', LOOK_MS);
}

function receiveHead(course: Course, status: number, headers: IncomingHttpHeaders): void {
  // 1xx answers come before the answer.
  if (status < 200) return;
  const { countdown, limits } = course;
  course.head = { status, contentType: first(headers['content-type']), retryAfter: first(headers['retry-after']) };
  course.encoding = headers['content-encoding'];
  countdown.clear('headers');
  countdown.set('idle', limits.bodyTimeoutMs);
  countdown.set('rate', limits.rateWindowMs);
}

function receive(course: Course, chunk: Uint8Array): void {
  if (course.bytes + chunk.length > course.limits.maxBodyBytes) {
    stop(course, 'BODY_TOO_LARGE');
    return;
  }
  course.countdown.set('idle', course.limits.bodyTimeoutMs);
  course.bytes += chunk.length;
  course.windowBytes += chunk.length;
  if (course.windowBytes >= RATE_WINDOW_BYTES) {
    course.windowBytes = 0;
    course.countdown.set('rate', course.limits.rateWindowMs);
  }
  course.chunks.push(chunk);
}

function finish(course: Course): void {
  const { head } = course;
  if (head === undefined) fail(course, new Stop('NO_HEADERS'));
  else end(course, (tookMs) => ({ outcome: 'answered', answer: { ...head, body: bodyOf(course) }, tookMs }));
}

function stop(course: Course, code: string): void {
  const reason = new Stop(code);
  if (course.controller === undefined) fail(course, reason);
  else course.controller.abort(reason);
}

function fail(course: Course, error: unknown): void {
  const { head, sent, guarded, unsentBytes } = course;
  if (!sent) {
    const phase = guarded ? 'guard' : unsentPhase(error);
    end(course, (tookMs) => ({ outcome: 'not_sent', ...exchangeFailure(phase, error), tookMs }));
    return;
  }
  const phase: LostPhase = head ? 'body' : unsentBytes() > 0 ? 'request' : 'headers';
  const got = head ? { status: head.status, partialBody: bodyOf(course) } : {};
  end(course, (tookMs) => ({ outcome: 'lost', ...exchangeFailure(phase, error), tookMs, ...got }));
}

function end(course: Course, outcome: (tookMs: number) => Exchange): void {
  if (course.ended) return;
  course.ended = true;
  course.countdown.stop();
  course.resolve(outcome(Math.round(performance.now() - course.startedAt)));
}

/** Nothing was sent: the connection says where it failed, everything else failed on our side before it. */
function unsentPhase(error: unknown): LostPhase {
  if (error instanceof ConnectError) return error.phase;
  return error instanceof Stop ? 'connect' : 'request';
}

function bodyOf({ chunks, bytes, encoding, limits }: Course): Uint8Array {
  return unpackedAnswer(Buffer.concat(chunks, bytes), encoding, limits.maxBodyBytes);
}
