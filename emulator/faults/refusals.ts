/** The refusals and failures that a fault can ask for by name, in their documented form. */
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
  modelNotAvailable,
  rpmLimitExceeded,
  ServiceError,
} from '../model/errors.js';
import type { FaultActions, RefusalCode } from './fault-actions.js';

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
