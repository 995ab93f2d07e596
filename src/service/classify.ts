import type { AttemptState, Evidence, RefusalNext } from '../domain/attempt.js';
import type {
  Answer,
  ErrorForm,
  ErrorReading,
  Exchange,
  Output,
  ResultFacts,
  SubmitReading,
  VendorRefusal,
} from '../domain/exchange.js';
import { safeText } from '../domain/secret.js';

/** What one submit showed, read by service and vendor, ready to be classified. */
export interface SubmitEvidence {
  flow: 'sync' | 'async';
  exchange: Exchange;
  /** The forms of an error body that the documents show for this route. */
  errorForms: ReadonlySet<ErrorForm>;
  /** The vendor's reading of a complete 2xx answer. */
  reading?: SubmitReading;
  /** The error body of a complete non-2xx answer, where it has words. */
  error?: ErrorReading;
  /** The vendor's own meaning of that error. */
  vendorRefusal?: VendorRefusal;
  /** A complete handle found in an answer that is no documented acceptance. */
  salvagedHandle?: string;
  /** An output found in an answer that is no documented result: its URL, or the whole file. */
  salvagedOutput?: Pick<Output, 'url' | 'base64'>;
  /** The request asked for the output as base64. */
  askedForBytes?: boolean;
}

type Without<T> = T extends unknown ? Omit<T, 'atMs'> : never;
/** A classified submit; outputs may still carry bytes, which the caller stores before the state is written. */
export type Classified =
  | Without<Extract<AttemptState, { state: 'refused' | 'created' | 'created_lost' | 'unknown' }>>
  | { state: 'done'; outputs: Output[]; facts: ResultFacts };

/** Room for the longest documented handle, about 260 characters, and what stands around it. */
const ANSWER_CHARACTERS_MAX = 1_000;

/** Statuses whose documented body proves that the request was refused and not billed (service document 1, Errors). */
const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422]);
/** A provider's number refuses what was asked for; of key, credits and model the service itself has the word. */
const NUMBERED_REFUSALS = new Set([400, 422]);
/** What cannot be sent never could: no wait mends a body beyond what fits one text. */
const NEVER_SENT = new Set(['BAD_BODY', 'BAD_PATH']);
/** For synchronous calls the service's own 5xx is refunded and safe to retry (service document 1, Errors). */
const SYNC_RETRIES = new Set([500, 502, 503, 504]);

/**
 * The classification table of a submit, as a whitelist: what no rule describes is `unknown` and becomes a case. The
 * names T1-T12, TH, TS and S0-S2 are those of docs/guarantees.md.
 */
export function classifySubmit(seen: SubmitEvidence): Classified {
  const { exchange } = seen;
  switch (exchange.outcome) {
    case 'not_sent':
      return {
        state: 'refused',
        rule: 'T1',
        next: NEVER_SENT.has(exchange.code) ? 'fail_row' : 'retry_backoff',
        code: exchange.code,
        message: `not sent (${exchange.phase}): ${exchange.message}`,
      };
    case 'lost':
      return salvaged(seen, exchange.status) ?? classifyLost(seen, exchange);
    case 'answered':
      return isAccepted(exchange.answer.status)
        ? classifySuccess(seen, exchange.answer)
        : (salvaged(seen, exchange.answer.status) ?? classifyError(seen, exchange.answer));
  }
}

/** TH and TS: "if the submit returned a handle, poll it", whatever the status; so for an output that was named. */
function salvaged(seen: SubmitEvidence, status: number | undefined): Classified | undefined {
  const { salvagedHandle, salvagedOutput, exchange } = seen;
  const how = exchange.outcome === 'lost' ? 'an answer that was cut' : `an answer with status ${status}`;
  const facts = status === undefined ? {} : { status };
  if (salvagedHandle !== undefined) {
    const evidence = { rule: 'TH', ...facts, message: `a handle was found in ${how}` };
    return { state: 'created_lost', evidence, salvagedHandle };
  }
  if (salvagedOutput === undefined) return undefined;
  if (salvagedOutput.url === undefined) {
    const facts = { warnings: [`the output was found in ${how}`], mayBeUnbilled: true as const };
    return { state: 'done', outputs: [salvagedOutput], facts };
  }
  const message = `the URL of an output was found in ${how}`;
  return { state: 'unknown', evidence: { rule: 'TS', ...facts, message, outputUrl: salvagedOutput.url } };
}

function classifyLost(seen: SubmitEvidence, lost: Extract<Exchange, { outcome: 'lost' }>): Classified {
  const accepted = lost.status !== undefined && isAccepted(lost.status);
  const rule = seen.flow === 'sync' ? 'S2' : accepted ? 'T9' : 'T11';
  const evidence: Evidence = {
    rule,
    phase: lost.phase,
    ...(lost.status === undefined ? {} : { status: lost.status }),
    code: lost.code,
    message: lost.message,
    ...beginning(lost.partialBody),
  };
  return seen.flow === 'async' && accepted ? { state: 'created_lost', evidence } : { state: 'unknown', evidence };
}

function classifySuccess(seen: SubmitEvidence, { status, body }: Answer): Classified {
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
      const found = salvaged(seen, status);
      if (found) return found;
      const message = reading?.reading === 'unreadable' ? reading.why : 'the answer was not read';
      const evidence: Evidence = { rule: flow === 'sync' ? 'S2' : 'T9', status, message, ...beginning(body) };
      return { state: flow === 'sync' ? 'unknown' : 'created_lost', evidence };
    }
  }
}

function classifyError(seen: SubmitEvidence, { status, body }: Answer): Classified {
  const { error, flow } = seen;
  const isOwn = error?.form !== 'foreign' && error?.form !== 'numbered';
  const vendorRefusal = isOwn ? seen.vendorRefusal : undefined;
  if (vendorRefusal === 'unreachable') return refused(seen, 'T5', 'wait_provider', status);
  if (vendorRefusal === 'disabled') return refused(seen, 'T6', 'fail_route', status);
  if (status === 429) return refused(seen, 'T4', afterTooMany(error), status);
  const refusals = error?.form === 'numbered' ? NUMBERED_REFUSALS : REFUSALS;
  if (error && seen.errorForms.has(error.form) && refusals.has(status)) {
    return refused(seen, 'T3', afterRefusal(status, error), status);
  }
  // An `error` object alone, or `code` and `message`, may be a gateway's word while the call behind it goes on.
  if (flow === 'sync' && error?.form === 'detail' && SYNC_RETRIES.has(status)) {
    return refused(seen, 'S1', afterFailure(seen, error), status);
  }
  const code = error?.code === undefined ? {} : { code: error.code };
  const message = error?.message ?? `${status} without the documented body`;
  const rule = flow === 'sync' ? 'S2' : 'T10';
  return { state: 'unknown', evidence: { rule, status, ...code, message, ...beginning(body) } };
}

/** What was turned away for its rate renders nowhere, whoever turned it away. */
function afterTooMany(error: ErrorReading | undefined): RefusalNext {
  if (error?.code === 'rpm_limit_exceeded') return 'wait_turn';
  return error?.code === 'concurrent_limit_exceeded' ? 'wait_slot' : 'wait_gateway';
}

function afterRefusal(status: number, error: ErrorReading): RefusalNext {
  if (status === 401) return 'pause_key';
  if (status === 402) return 'pause_credits';
  return status === 403 && error.code === 'model_not_available' ? 'fail_model' : 'fail_row';
}

function afterFailure(seen: SubmitEvidence, error: ErrorReading): RefusalNext {
  if (error.code !== 'output_too_large') return 'retry_sync';
  return seen.askedForBytes ? 'retry_as_url' : 'fail_size';
}

function refused(seen: SubmitEvidence, rule: string, next: RefusalNext, status: number): Classified {
  const { error } = seen;
  return {
    state: 'refused',
    rule,
    next,
    status,
    ...(error?.code === undefined ? {} : { code: error.code }),
    message: error?.message ?? `${status} without the documented body`,
    ...(error?.requestId === undefined ? {} : { requestId: error.requestId }),
  };
}

/** What an answer that no rule understands begins with. */
function beginning(body: Uint8Array | undefined): Pick<Evidence, 'answer'> {
  const answer = safeText(
    new TextDecoder().decode(body?.subarray(0, 4 * ANSWER_CHARACTERS_MAX)),
    ANSWER_CHARACTERS_MAX,
  );
  return answer === '' ? {} : { answer };
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}
