/** The error bodies of the general contract (service document 1, Errors), each made by one function. */
import { creditsNumber } from './money.js';

export type JsonObject = Record<string, unknown>;

/** An answer that refuses: the status, and the body once the request id is known. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    /** Machine-readable code; undefined for a plain `detail`. */
    readonly code: string | undefined,
    message: string,
    readonly body: (requestId: string) => JsonObject,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = 'ServiceError';
  }
}

/** A plain `detail` string: request validation and untyped server errors. */
export function detailError(status: number, detail: string): ServiceError {
  return new ServiceError(status, undefined, detail, () => ({ detail }));
}

/**
 * An `error` object with code, message and request id; `more` is merged into it. Server errors return a `detail` string,
 * and the object rides alongside (service document 1, Errors).
 */
export function codedError(
  status: number,
  code: string,
  message: string,
  more: JsonObject = {},
  headers: Record<string, string> = {},
): ServiceError {
  return new ServiceError(
    status,
    code,
    message,
    (requestId) => ({
      ...(status < 500 ? {} : { detail: message }),
      error: { code, message, request_id: requestId, ...more },
    }),
    headers,
  );
}

/** Missing parameter, invalid model, invalid value: 400 with a plain `detail`. */
export function invalid(detail: string): ServiceError {
  return detailError(400, detail);
}

/** The model cannot render the request, or the source image is refused: 400 `engine_error`. */
export function engineError(message: string): ServiceError {
  return codedError(400, 'engine_error', message);
}

export const AUTH_MESSAGES = {
  missing_api_key: 'An API key is required: send X-API-Key or Authorization: Bearer.',
  invalid_key_format: "The API key is malformed: keys start with 'sk-svc-'.",
  invalid_api_key: 'The API key is not known.',
  key_revoked: 'The API key was revoked.',
  key_expired: 'The API key has expired.',
} as const;
export type AuthCode = keyof typeof AUTH_MESSAGES;

export function authError(code: AuthCode): ServiceError {
  return codedError(401, code, AUTH_MESSAGES[code]);
}

/** 402 with the amounts in `error.details` and in the deprecated mirrors (service document 1, Versioning). */
export function insufficientCredits(requiredNano: number, balanceNano: number): ServiceError {
  const required = creditsNumber(requiredNano);
  const balance = creditsNumber(balanceNano);
  return codedError(402, 'insufficient_credits', `This request needs ${required} credits; ${balance} are available.`, {
    details: { credits_required: required, credits_balance: balance },
    creditsRequired: required,
    creditsBalance: balance,
  });
}

/** 403 whose `detail` is an object: the account has no grant for a restricted model. */
export function modelNotAvailable(model: string, entrypoint: string): ServiceError {
  const message = `The model '${model}' is not available to this account.`;
  const detail = { code: 'model_not_available', message, model, entrypoint };
  return new ServiceError(403, 'model_not_available', message, () => ({ detail }));
}

/** 422: a clip larger than 1920x1080; the inner names of `details` are not shown in the documents. */
export function requestTooLarge(requested: string): ServiceError {
  return codedError(422, 'request_too_large', `Video size ${requested} is larger than the maximum 1920x1080.`, {
    details: { requested, maximum: '1920x1080' },
  });
}

function retryAfterHeader(retryAfter: string | number | undefined): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

export function rpmLimitExceeded(limit: number, retryAfter?: string | number): ServiceError {
  const message = `The limit of ${limit} requests per minute is reached.`;
  return codedError(429, 'rpm_limit_exceeded', message, {}, retryAfterHeader(retryAfter));
}

export function concurrentLimitExceeded(limit: number, retryAfter?: string | number): ServiceError {
  const message = `The limit of ${limit} simultaneous jobs is reached.`;
  return codedError(429, 'concurrent_limit_exceeded', message, {}, retryAfterHeader(retryAfter));
}
