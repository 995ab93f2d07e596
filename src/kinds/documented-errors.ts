/**
 * Every error that the service's documents list, in our own words: by its machine-readable code, or by its status where
 * the documents give none. `retried` says what callsheet does with it, `billed` whether the request can have cost.
 */
export interface DocumentedError {
  /** What `callsheet explain` is asked with. */
  code: string;
  status: string;
  where: string;
  meaning: string;
  retried: string;
  billed: 'no' | 'unknown';
  advice: string;
  /** Where the documents list it. */
  source: string;
}

const ERRORS_1 = 'service document 1, Errors';
const ERRORS_2 = 'service document 2, Errors';
const NEVER = 'no: the same request would be refused again';
const CASE =
  "a synchronous call at most three times where the answer has the service's own `detail`; everything else may have been billed, and its credits check decides";

export const DOCUMENTED_ERRORS: readonly DocumentedError[] = [
  refused('400', '400', 'every submit', 'A parameter is missing or wrong; the text says which.', 'Correct the row.'),
  refused(
    'engine_error',
    '400',
    'images and clips',
    'The model cannot render the request, or the source image is rejected.',
    'Correct size, duration or image as the message says.',
  ),
  refused('invalid_request', '400', 'clips', 'The tier is not one that clips take.', 'Leave the tier out.'),
  refused(
    'unsupported_response_format',
    '400',
    'clips',
    'The response format is not b64_json or url.',
    'Use `--response-format url` or b64_json.',
  ),
  ...(['missing_api_key', 'invalid_key_format', 'invalid_api_key', 'key_revoked', 'key_expired'] as const).map(
    keyError,
  ),
  {
    code: 'insufficient_credits',
    status: '402',
    where: 'every submit',
    meaning: 'The balance does not cover the request.',
    retried: 'yes, once the balance has risen: the account pauses until then, and goes on by itself',
    billed: 'no',
    advice: 'Add credits.',
    source: ERRORS_1,
  },
  refused(
    'model_not_available',
    '403',
    'every submit',
    'The account has no access to this model; all rows of the batch with it fail.',
    'Ask for a grant, or choose another model.',
  ),
  refused(
    'request_too_large',
    '422',
    'clips',
    'The clip is larger than 1920x1080; the details give the maximum.',
    'Choose 1920x1080 or 1280x720.',
  ),
  {
    code: 'rpm_limit_exceeded',
    status: '429',
    where: 'every request',
    meaning: "The plan's requests per minute are used up.",
    retried:
      'yes: after 1, 2, 4, 8 s, never sooner than Retry-After; after five refusals in a row submits pause for 30 s, doubling to 5 min. The document says at most 3 to 5 tries: the tries are spread over the account, and no row fails for it',
    billed: 'no',
    advice: 'Nothing; something else may use the account at the same time.',
    source: ERRORS_1,
  },
  {
    code: 'concurrent_limit_exceeded',
    status: '429',
    where: 'every submit that takes a slot',
    meaning: "The plan's simultaneous jobs are used up.",
    retried: 'yes: once a slot is free',
    billed: 'no',
    advice: 'Nothing; something else may use the account at the same time.',
    source: ERRORS_1,
  },
  unclear('500', 'every submit', 'An unexpected error of the server.', ERRORS_1),
  unclear('502', 'every submit', 'The inference gave no data.', ERRORS_1),
  {
    code: 'output_too_large',
    status: '502',
    where: 'clips',
    meaning: 'The clip is too large to be returned.',
    retried: 'once, with the output as a URL, where it was asked for as base64',
    billed: 'no',
    advice: 'Request a shorter clip or smaller size.',
    source: ERRORS_1,
  },
  unclear('503', 'every submit', 'The service is unavailable for now.', ERRORS_1),
  late('504', 'every submit', 'The request took longer than its time budget.'),
  late('engine_timeout', 'images and clips', 'The engine took longer than its time budget.'),
  refused(
    'unsupported_resolution',
    '400',
    'vendor-b/avatar',
    'The resolution is not 720p, 1080p or 4k.',
    'Choose one of these.',
    ERRORS_2,
  ),
  refused(
    'invalid_parameter',
    '400',
    'vendor-b/avatar',
    'A URL of the row cannot be downloaded by the provider.',
    'Host the file publicly, or give the photo as a local file.',
    ERRORS_2,
  ),
  refused(
    '1201',
    'provider code',
    'vendor-a',
    'An image was sent with a data: prefix.',
    'callsheet takes the prefix off; report this as a defect.',
    ERRORS_2,
  ),
  polled('404', 'the handle is unknown, or belongs to another capability of vendor-a'),
  polled('409', 'the handle belongs to another account'),
  {
    code: 'vendor-f_unreachable',
    status: '503',
    where: 'vendor-f',
    meaning: 'The provider could not be reached, and nothing was sent to it.',
    retried: 'yes: after 1, 2, 4, 8 s, then one row of the route every 5 min, without limit',
    billed: 'no',
    advice: 'Nothing: wait.',
    source: ERRORS_2,
  },
  {
    code: 'pass-through',
    status: '503',
    where: 'vendor-f',
    meaning: 'The message says that the pass-through is not enabled: the route is not available to the account.',
    retried: 'no: all vendor-f rows of the batch fail',
    billed: 'no',
    advice: 'Wait until the service enables it, then `callsheet retry`.',
    source: ERRORS_2,
  },
];

function refused(
  code: string,
  status: string,
  where: string,
  meaning: string,
  advice: string,
  source = ERRORS_1,
): DocumentedError {
  return { code, status, where, meaning, retried: NEVER, billed: 'no', advice, source };
}

function keyError(code: string): DocumentedError {
  return {
    code,
    status: '401',
    where: 'every request',
    meaning: 'The API key is missing, malformed, unknown, revoked or expired.',
    retried:
      'only once another key is there, or `callsheet resume` after this one was unblocked: the account pauses until then',
    billed: 'no',
    advice: 'Give a valid key in CALLSHEET_API_KEY or --api-key-file.',
    source: ERRORS_1,
  };
}

function unclear(code: string, where: string, meaning: string, source: string, status = code): DocumentedError {
  const advice = 'Nothing, unless the row ends in review: then `callsheet review show` has the evidence.';
  return { code, status, where, meaning, retried: CASE, billed: 'unknown', advice, source };
}

/** On image edits the source image could not be fetched in time. */
function late(code: string, where: string, meaning: string): DocumentedError {
  const advice =
    'Where an svc/edit names its source by a URL: give a local file or a faster URL. Of a row in review `callsheet review show` has the evidence.';
  return { ...unclear(code, where, meaning, ERRORS_1, '504'), advice };
}

function polled(status: string, why: string): DocumentedError {
  return {
    code: status,
    status,
    where: 'polls',
    meaning: `The service does not give the job away: ${why}.`,
    retried: 'a poll at most three times in a row, then the row is in review; a submit never',
    billed: 'unknown',
    advice: '`callsheet review show`; ask the service with the handle.',
    source: ERRORS_2,
  };
}
