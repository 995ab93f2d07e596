import type { AttemptState, Evidence, RefusalNext } from '../domain/attempt.js';
import type { Answer, Exchange } from '../domain/exchange.js';
import type { ErrorReading, Output, ResultFacts, SubmitReading, VendorRefusal } from '../domain/reading.js';

/** What one submit showed, read by service and vendor, ready to be classified. */
export interface SubmitEvidence {
  flow: 'sync' | 'async';
  exchange: Exchange;
  /** The vendor's reading of a complete 2xx answer. */
  reading?: SubmitReading;
  /** The error body of a complete non-2xx answer, when it has a documented shape. */
  error?: ErrorReading;
  /** The vendor's own meaning of that error. */
  vendorRefusal?: VendorRefusal;
  /** A complete handle found in a body that was cut or cannot be read. */
  salvagedHandle?: string;
  /** From the answer's Retry-After, clamped, ms. */
  retryAfterMs?: number;
}

type Without<T> = T extends unknown ? Omit<T, 'atMs'> : never;
/** A classified submit; outputs may still carry bytes, which the caller stores before the state is written. */
export type Classified =
  | Without<Extract<AttemptState, { state: 'refused' | 'created' | 'created_lost' | 'unknown' }>>
  | { state: 'done'; outputs: Output[]; facts: ResultFacts };

/** Statuses whose documented body proves that the request was refused and not billed (service document 1, Errors). */
const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422]);
/** For synchronous calls a documented 5xx is refunded and safe to retry (service document 1, Errors). */
const SYNC_RETRIES = new Set([500, 502, 503, 504]);

/**
 * The classification table of a submit, as a whitelist: what no rule describes is `unknown` and becomes a case. The
 * names T1-T12 and S0-S2 are those of docs/guarantees.md.
 */
export function classifySubmit(seen: SubmitEvidence): Classified {
  const { exchange } = seen;
  switch (exchange.outcome) {
    case 'not_sent':
      return {
        state: 'refused',
        rule: 'T1',
        next: 'retry_backoff',
        code: exchange.code,
        message: `not sent (${exchange.phase}): ${exchange.message}`,
      };
    case 'lost':
      return classifyLost(seen, exchange);
    case 'answered':
      return exchange.answer.status >= 200 && exchange.answer.status < 300
        ? classifySuccess(seen, exchange.answer)
        : classifyError(seen, exchange.answer);
  }
}

function classifyLost(seen: SubmitEvidence, lost: Extract<Exchange, { outcome: 'lost' }>): Classified {
  const accepted = lost.status !== undefined && lost.status >= 200 && lost.status < 300;
  const rule = seen.flow === 'sync' ? 'S2' : accepted ? 'T9' : 'T11';
  const evidence: Evidence = {
    rule,
    phase: lost.phase,
    ...(lost.status === undefined ? {} : { status: lost.status }),
    code: lost.code,
    message: lost.message,
  };
  return seen.flow === 'async' && accepted ? createdLost(seen, evidence) : { state: 'unknown', evidence };
}

function classifySuccess(seen: SubmitEvidence, { status }: Answer): Classified {
  const { reading, flow } = seen;
  switch (reading?.reading) {
    case 'created': {
      const warning = status === 200 ? reading.warning : `the submit was answered with ${status} instead of 200`;
      return { state: 'created', handle: reading.handle, ...(warning ? { warning } : {}) };
    }
    case 'done':
      return { state: 'done', outputs: reading.outputs, facts: reading.facts };
    case 'refused':
      return { state: 'refused', rule: 'T7', next: 'fail_row', status, code: reading.code, message: reading.message };
    default: {
      const message = reading?.reading === 'unreadable' ? reading.why : 'the answer was not read';
      const evidence: Evidence = { rule: flow === 'sync' ? 'S2' : 'T9', status, message };
      return flow === 'sync' ? { state: 'unknown', evidence } : createdLost(seen, evidence);
    }
  }
}

function classifyError(seen: SubmitEvidence, { status }: Answer): Classified {
  const { error, flow } = seen;
  const rule = flow === 'sync' ? 'S2' : 'T10';
  if (!error) {
    return { state: 'unknown', evidence: { rule, status, message: `${status} without the documented body` } };
  }
  if (seen.vendorRefusal === 'unreachable') return refused(seen, 'T5', 'retry_backoff', status, error);
  if (seen.vendorRefusal === 'disabled') return refused(seen, 'T6', 'fail_route', status, error);
  if (status === 429 && error.code === 'rpm_limit_exceeded') return refused(seen, 'T4', 'wait_turn', status, error);
  if (status === 429 && error.code === 'concurrent_limit_exceeded')
    return refused(seen, 'T4', 'wait_slot', status, error);
  if (REFUSALS.has(status)) return refused(seen, 'T3', afterRefusal(status, error), status, error);
  if (flow === 'sync' && SYNC_RETRIES.has(status)) {
    return refused(seen, 'S1', error.code === 'output_too_large' ? 'retry_as_url' : 'retry_sync', status, error);
  }
  const code = error.code === undefined ? {} : { code: error.code };
  return { state: 'unknown', evidence: { rule, status, ...code, message: error.message } };
}

function afterRefusal(status: number, error: ErrorReading): RefusalNext {
  if (status === 401) return 'pause_key';
  if (status === 402) return 'pause_credits';
  return status === 403 && error.code === 'model_not_available' ? 'fail_model' : 'fail_row';
}

function refused(
  seen: SubmitEvidence,
  rule: string,
  next: RefusalNext,
  status: number,
  error: ErrorReading,
): Classified {
  return {
    state: 'refused',
    rule,
    next,
    status,
    ...(error.code === undefined ? {} : { code: error.code }),
    message: error.message,
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    ...(seen.retryAfterMs === undefined ? {} : { retryAfterMs: seen.retryAfterMs }),
  };
}

function createdLost(seen: SubmitEvidence, evidence: Evidence): Classified {
  const salvaged = seen.salvagedHandle === undefined ? {} : { salvagedHandle: seen.salvagedHandle };
  return { state: 'created_lost', evidence, ...salvaged };
}
