/**
 * Words for an exchange that brought no whole answer. They are put together here from a phase and a code of a known
 * form: a client library's own error may carry headers, and with them the key.
 */
import type { LostPhase } from '../domain/exchange.js';

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

export function exchangeFailure(phase: LostPhase, code: unknown): ExchangeFailure {
  const known = typeof code === 'string' && CODE_FORM.test(code) ? code : 'UNKNOWN';
  return { phase, code: known, message: `${SENTENCES[phase]} (${known})` };
}
