/** How long an exchange may take, and what is said of one that brought no whole answer. */
import type { LostPhase } from '../domain/exchange.js';

/** How long an exchange may take in each of its phases, ms, and how large its answer may be. */
export interface ExchangeLimits {
  /** From the call to the first byte sent; the connector has its own limit, this one makes sure that all end. */
  startTimeoutMs: number;
  /** From the first byte sent to the answer's headers; while the request leaves the count begins anew. */
  headersTimeoutMs: number;
  /** So long it may begin anew: a server has its own time once it has the whole request. */
  leavingMaxMs: number;
  /** Between two pieces of the body. */
  bodyTimeoutMs: number;
  /** For each 64 KiB of the body, and for what is left at its end: a steady body may take as long as it needs. */
  rateWindowMs: number;
  /** From the call to the end of the body, connecting included; submits have no such limit. */
  totalMs?: number;
  maxBodyBytes: number;
}

export type Limit = 'start' | 'total' | 'leaving' | 'headers' | 'idle' | 'rate';

/** What is said of an exchange whose time ran out. */
export const EXPIRED: Record<Exclude<Limit, 'leaving'>, string> = {
  start: 'START_TIMEOUT',
  total: 'TOTAL_TIMEOUT',
  headers: 'HEADERS_TIMEOUT',
  idle: 'BODY_TIMEOUT',
  rate: 'ANSWER_TOO_SLOW',
};

/** So much of a body must come within each `rateWindowMs`. */
export const RATE_WINDOW_BYTES = 64 * 1024;

/**
 * Words for an exchange that brought no whole answer. They are put together here from a phase and a code of a known
 * form: a client library's own error may carry headers, and with them the key.
 */
export interface ExchangeFailure {
  phase: LostPhase;
  /** Upper case and digits: `ECONNREFUSED`, `HEADERS_TIMEOUT`, `UNKNOWN`. */
  code: string;
  message: string;
}

const CODE_FORM = /^[A-Z][A-Z0-9_]{1,59}$/;

const SENTENCES: Record<LostPhase, string> = {
  guard: 'stopped by our own guard before anything was sent',
  dns: 'the name of the service could not be resolved',
  connect: 'no connection to the service',
  tls: 'no secure connection to the service',
  request: 'the request could not be sent whole',
  headers: 'no answer came',
  body: 'the answer was cut off',
};

export function exchangeFailure(phase: LostPhase, error: unknown): ExchangeFailure {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  // The parser's errors of undici come without a code.
  const said = name === 'HTTPParserError' ? (code ?? 'NOT_HTTP') : code;
  const known = typeof said === 'string' && CODE_FORM.test(said) ? said : 'UNKNOWN';
  return { phase, code: known, message: `${SENTENCES[phase]} (${known})` };
}
