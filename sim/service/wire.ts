import type { Exchange } from '../../src/domain/exchange.js';
import type { JsonObject } from '../../src/domain/json.js';

/** How the model of the service answers one request: at once, late, cut, or never. */

export interface Wire {
  /** When the answer's headers must be there, ms after the request left. */
  timeoutMs: number;
  arriveAfter: (delayMs: number, effect: () => Exchange) => void;
}

export function answer(
  wire: Wire,
  afterMs: number,
  status: number,
  body: JsonObject | string,
  extra: { retryAfter?: string; onArrival?: () => void } = {},
): void {
  if (afterMs > wire.timeoutMs) {
    lose(wire, wire.timeoutMs, { phase: 'headers', code: 'UND_ERR_HEADERS_TIMEOUT' });
    return;
  }
  const isJson = typeof body !== 'string';
  wire.arriveAfter(afterMs, () => {
    extra.onArrival?.();
    const contentType = isJson ? 'application/json' : 'text/html';
    const bytes = Buffer.from(isJson ? JSON.stringify(body) : body);
    const whole = { status, contentType, retryAfter: extra.retryAfter, body: bytes };
    return { outcome: 'answered', tookMs: afterMs, answer: whole };
  });
}

export function lose(
  wire: Wire,
  afterMs: number,
  how: { phase: 'headers' | 'body'; code: string; status?: number; partial?: string },
): void {
  const { phase, code, status, partial } = how;
  wire.arriveAfter(Math.min(afterMs, wire.timeoutMs), () => ({
    outcome: 'lost',
    phase,
    code,
    message: 'the connection ended without a whole answer',
    tookMs: afterMs,
    ...(status === undefined ? {} : { status }),
    ...(partial === undefined ? {} : { partialBody: Buffer.from(partial) }),
  }));
}

/** An error as the first document gives it. */
export function errorBody(code: string, message: string, more: JsonObject = {}): JsonObject {
  return { error: { code, message, request_id: 'req-1', ...more } };
}
