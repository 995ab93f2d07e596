import { StoreError } from './port.js';

/** Turns what an S3 server, or the way to it, says into one sentence that tells the user what to do. */

const SENTENCES: Record<string, string> = {
  AccessDenied: 'the credentials lack the permission',
  AccountProblem: 'the account has a problem; ask its provider',
  AllAccessDisabled: 'the bucket is closed',
  AuthorizationHeaderMalformed: 'the bucket is in another region: set s3.region',
  BAD_CHECKSUM: 'the server stored other bytes than were sent',
  BadGateway: 'what stands before the server got no answer from it',
  ConditionalRequestConflict: 'another writer has the name just now',
  CredentialsProviderError:
    'no S3 credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  ECONNREFUSED: 'nothing answers at the endpoint',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'the host is unknown: check s3.endpoint and s3.region',
  EntityTooLarge: 'the file is larger than the server takes',
  ExpiredToken: 'the S3 credentials have expired: renew them and run the same command again',
  GatewayTimeout: 'what stands before the server got no answer from it in time',
  IllegalLocationConstraintException: 'the bucket is in another region: set s3.region',
  InternalError: 'the server has a fault of its own',
  InvalidAccessKeyId: 'the server does not know the access key',
  InvalidBucketName: 'that is no name for a bucket',
  InvalidStorageClass: 'the server does not know the storage class: change s3.storageClass',
  InvalidToken: 'the session token is not valid',
  KMSAccessDenied: 'the credentials may not use the encryption key',
  MovedPermanently: 'the bucket is in another region: set s3.region',
  NO_REGION: 'no region is set: set s3.region or AWS_REGION',
  NoSuchBucket: 'the bucket does not exist',
  NoSuchUpload: 'the server dropped the upload',
  NotImplemented: 'the server cannot do that',
  PermanentRedirect: 'the bucket is in another region: set s3.region, or s3.endpoint',
  QuotaExceeded: 'the quota is used up',
  RequestTimeTooSkewed: "this machine's clock is wrong",
  RequestTimeout: 'the connection was too slow',
  ServiceUnavailable: 'the server is not available just now',
  SignatureDoesNotMatch: 'the server does not accept the secret key',
  SlowDown: 'the server asks for fewer requests',
  TimeoutError: 'the server does not answer',
  XMinioStorageFull: 'the disk of the server is full',
};

/** What a code of a bucket means, in words; undefined for every other code. */
export function s3Trouble(code: string): string | undefined {
  return SENTENCES[code];
}

const OF_CREDENTIALS = [
  'CredentialsProviderError',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
];
const OF_SETTINGS = [
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'InvalidStorageClass',
  'MovedPermanently',
  'NO_REGION',
  'PermanentRedirect',
];

/** What a command has to bring anew before the bucket takes anything; undefined where the mend lies elsewhere. */
export function wantedOfCommand(code: string): 'credentials' | 'settings' | undefined {
  if (OF_CREDENTIALS.includes(code)) return 'credentials';
  return OF_SETTINGS.includes(code) ? 'settings' : undefined;
}

/** The answers to HEAD have no body: what they mean stands in the status. */
const BY_STATUS: Record<number, string> = {
  301: 'PermanentRedirect',
  400: 'BadRequest',
  403: 'AccessDenied',
  404: 'NoSuchBucket',
  409: 'ConditionalRequestConflict',
  412: 'PreconditionFailed',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'SlowDown',
  504: 'GatewayTimeout',
};

const NAMELESS = new Set(['Error', 'Unknown', 'UnknownError', 'NotFound', '403', '301', '400']);
const OTHER_NAMES: Record<string, string> = {
  Forbidden: 'AccessDenied',
  ExpiredTokenException: 'ExpiredToken',
  TokenRefreshRequired: 'ExpiredToken',
  XAdminUserNotFound: 'InvalidAccessKeyId',
  'Region is missing': 'NO_REGION',
};

/** The server's or the system's code of an error (`NoSuchBucket`, `ECONNREFUSED`). */
export function s3Code(error: unknown): string {
  if (!(error instanceof Error)) return 'UnknownError';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const status = answerOf(error).httpStatusCode;
  const name = NAMELESS.has(error.name) ? (code ?? BY_STATUS[status ?? 0] ?? error.name) : error.name;
  return OTHER_NAMES[error.message] ?? OTHER_NAMES[name] ?? name;
}

/** True when the key was there already (or is just being written, which the next look tells). */
export function isTaken(error: unknown): boolean {
  return s3Code(error) === 'PreconditionFailed';
}

/** True when two writers met and the server took neither: it must be asked again. */
export function isConflict(error: unknown): boolean {
  // The last is a folder-backed server that removes an emptied folder while another request writes into it.
  return ['ConditionalRequestConflict', 'OperationAborted', 'ExistingObjectIsDirectory'].includes(s3Code(error));
}

/** How often the request went out before it failed. */
export function triesOf(error: unknown): number {
  return error instanceof Error ? (answerOf(error).attempts ?? 1) : 1;
}

/** A StoreError for a failed request: `cannot write 'a/b' in s3://b/p: the bucket does not exist (NoSuchBucket)`. */
export function toS3Error(error: unknown, verb: 'write' | 'read' | 'remove', key: string, location: string): Error {
  if (error instanceof StoreError) return error;
  const code = s3Code(error);
  const what = SENTENCES[code] ?? 'the server refuses';
  const where = key === '' ? location : `'${key}' in ${location}`;
  return new StoreError(code, `cannot ${verb} ${where}: ${what} (${code})`, key);
}

interface Answer {
  httpStatusCode?: number;
  attempts?: number;
}

/** The SDK hangs on every error what it knows of the request. */
function answerOf(error: Error): Answer {
  return '$metadata' in error && typeof error.$metadata === 'object' ? ((error.$metadata ?? {}) as Answer) : {};
}
