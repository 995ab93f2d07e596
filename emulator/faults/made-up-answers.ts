/** Answers that a fault makes up: documented refusals by name, any status and body, a gateway's own words, a handle in an error. */
import { STATUS_CODES } from 'node:http';
import type { Account } from '../model/accounts.js';
import {
  AUTH_MESSAGES,
  type AuthCode,
  authError,
  codedError,
  concurrentLimitExceeded,
  detailError,
  engineError,
  insufficientCredits,
  type JsonObject,
  modelNotAvailable,
  rpmLimitExceeded,
  ServiceError,
} from '../model/errors.js';
import { jsonAnswer, type WireAnswer } from '../model/world.js';
import type { FaultActions, RefusalCode } from './fault-actions.js';

const TIMED_OUT = 'upstream request timeout';

/** The gateway's answer; it never has the documented form of the service. */
export function gatewayAnswer({ status, body }: FaultActions['gateway']): WireAnswer {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  switch (body) {
    case 'error-code':
      return jsonAnswer(status, { error: { code: status, message: TIMED_OUT } });
    case 'code-message':
      return jsonAnswer(status, { code: status, message: TIMED_OUT });
    case 'error-message':
      return jsonAnswer(status, { error: { message: 'no healthy upstream' } });
    case 'html':
      return text(
        status,
        'text/html',
        `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
      );
    case 'text':
      return text(status, 'text/plain', TIMED_OUT);
    case 'empty':
      return { status, headers: {}, body: Buffer.alloc(0) };
    default:
      return body satisfies never;
  }
}

/** The answer that was made, under the status of an error: "if the submit returned a handle, poll it" (document 2). */
export function errorWithHandle(status: number, made: WireAnswer | undefined): WireAnswer {
  if (made?.headers['content-type'] !== 'application/json') return plain(status, STATUS_CODES[status] ?? 'Error');
  const fields = JSON.parse(made.body.toString('utf8')) as JsonObject;
  // The handle stands first, so it keeps its place in the bytes.
  return { ...made, ...jsonAnswer(status, { ...fields, detail: STATUS_CODES[status] ?? 'Error' }) };
}

function text(status: number, contentType: string, body: string): WireAnswer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}

/** The answer of an `answer` action; `made` is the real one where the request was carried out. */
export function chosenAnswer(action: FaultActions['answer'], made: WireAnswer | undefined): WireAnswer {
  const answer: WireAnswer =
    action.body === undefined ? withoutBody(action.status, made) : fromBody(action.status, action.body);
  if (action.contentType !== undefined) answer.headers['content-type'] = action.contentType;
  Object.assign(answer.headers, action.headers);
  return answer;
}

/** The real body under another 2xx status, else the documented form of an error. */
function withoutBody(status: number, made: WireAnswer | undefined): WireAnswer {
  if (made !== undefined && status < 300) return { ...made, status, headers: { ...made.headers } };
  return plain(status, STATUS_CODES[status] ?? 'Error');
}

function fromBody(status: number, body: unknown): WireAnswer {
  return typeof body === 'string' ? text(status, 'text/html; charset=utf-8', body) : jsonAnswer(status, body);
}

/** The documented form of a server error. */
export function plain(status: number, detail: string): WireAnswer {
  return jsonAnswer(status, { detail });
}

/** The request that is refused. */
interface RefusedRequest {
  account: Account;
  model: string;
  entrypoint: string;
}

/** Builds the refusal of a `refuse` action. */
export function refusalOf(action: FaultActions['refuse'], request: RefusedRequest): ServiceError {
  const made = build(action.code, action.message, request);
  if (action.retryAfter === undefined) return made;
  const headers = { ...made.headers, 'retry-after': String(action.retryAfter) };
  return new ServiceError(made.status, made.code, made.message, made.body, headers);
}

function build(code: RefusalCode, message: string | undefined, request: RefusedRequest): ServiceError {
  const { account } = request;
  if (code in AUTH_MESSAGES) return authError(code as AuthCode);
  switch (code) {
    case 'insufficient_credits':
      return insufficientCredits(1_000_000_000, account.balance.availableNano());
    case 'model_not_available':
      return modelNotAvailable(request.model, request.entrypoint);
    case 'rpm_limit_exceeded':
      return rpmLimitExceeded(account.caps.rpm);
    case 'concurrent_limit_exceeded':
      return concurrentLimitExceeded(account.caps.concurrent);
    case 'engine_error':
      return engineError(message ?? 'The model cannot render this request.');
    case 'engine_timeout':
      return codedError(504, code, message ?? 'The generation did not complete in time.');
    case 'output_too_large':
      return codedError(
        502,
        code,
        message ?? 'The clip is too large to return; request a shorter clip or a smaller size.',
      );
    case 'server_error':
      return detailError(500, message ?? 'Unexpected server error.');
    case 'bad_gateway':
      return detailError(502, message ?? 'The inference returned no data.');
    case 'unavailable':
      return detailError(503, message ?? 'Temporarily unavailable.');
    case 'timeout':
      return detailError(504, message ?? 'The request exceeded its time budget.');
    case 'vendor-f_unreachable':
      return codedError(
        503,
        code,
        message ?? 'The provider could not be reached; nothing was sent and nothing is charged.',
      );
    case 'pass_through_not_enabled':
      return detailError(503, message ?? 'The pass-through is not enabled for this route.');
    default:
      throw new Error(`no refusal is known for '${code}'`);
  }
}
