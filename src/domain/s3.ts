/** How buckets are reached; null = the AWS SDK's own chain (variables, profile files) says it. */
export interface S3Settings {
  /** `https://host`, of a server that is not Amazon's. */
  endpoint: string | null;
  region: string | null;
  /** Bucket names in the path instead of the host. */
  forcePathStyle: boolean;
  serverSideEncryption: S3Encryption | null;
  /** For `aws:kms` and `aws:kms:dsse`: the key's id or ARN; null = the account's own. */
  kmsKeyId: string | null;
  /** Of finished files. Records of a home are always read at once and stay in the standard class. */
  storageClass: S3StorageClass | null;
}

export const S3_ENCRYPTIONS = ['AES256', 'aws:kms', 'aws:kms:dsse'] as const;
export type S3Encryption = (typeof S3_ENCRYPTIONS)[number];

/** Those from which a file can be read at once. */
export const S3_STORAGE_CLASSES = [
  'STANDARD',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
  'REDUCED_REDUNDANCY',
] as const;
export type S3StorageClass = (typeof S3_STORAGE_CLASSES)[number];

export const DEFAULT_S3: S3Settings = {
  endpoint: null,
  region: null,
  forcePathStyle: false,
  serverSideEncryption: null,
  kmsKeyId: null,
  storageClass: null,
};

/** Nothing is said of how buckets are reached. */
export function isUsualS3(s3: S3Settings): boolean {
  return JSON.stringify({ ...DEFAULT_S3, ...s3 }) === JSON.stringify(DEFAULT_S3);
}

/** What a client command's environment says of S3, handed to the engine's worker; absent = the worker's own. */
export type S3Environment = Readonly<Partial<Record<S3Variable, string>>>;

const S3_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_CREDENTIAL_EXPIRATION',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
] as const;
type S3Variable = (typeof S3_VARIABLES)[number];

/** Of an environment, what concerns S3. */
export function s3Environment(environment: Readonly<Record<string, unknown>>): S3Environment {
  return Object.fromEntries(
    S3_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}

/**
 * What holds once a command has brought its variables. They belong together: keys or a profile come with the whole set
 * of their command, and a command that names neither takes nothing away from what runs with those of another.
 */
export function s3InForce(known: S3Environment = {}, brought: S3Environment = {}): S3Environment {
  if (namesCredentials(brought)) return brought;
  return namesCredentials(known) || Object.keys(brought).length === 0 ? known : brought;
}

/** Whether it says by which credentials S3 is reached. */
export function namesCredentials({ AWS_ACCESS_KEY_ID: keyId, AWS_PROFILE: profile }: S3Environment): boolean {
  return keyId !== undefined || profile !== undefined;
}

/** The server that is not Amazon's, by settings or environment. */
export function s3Endpoint(
  { endpoint }: S3Settings,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return endpoint ?? environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL;
}

/** Bucket and key prefix (without slashes at its ends; may be empty) of `s3://bucket/prefix`. */
interface S3Address {
  bucket: string;
  prefix: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX_CHARACTERS_MAX = 500;

/** What such an address may hold, in the words of the messages. */
export const S3_FORM = 'a bucket has 3-63 of a-z, 0-9, . and -, and no part of a prefix is empty, . or ..';

/** Reads `s3://bucket/prefix`; undefined when it is no such address. */
export function parseS3Address(text: string): S3Address | undefined {
  const match = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(text);
  const bucket = match?.[1] ?? '';
  const prefix = (match?.[2] ?? '').replace(/\/+$/, '');
  if (!BUCKET.test(bucket) || prefix.length > PREFIX_CHARACTERS_MAX) return undefined;
  // Keys of this kind mean different things to different servers.
  const isPlain = prefix.split('/').every((part) => !/^\.{0,2}$/.test(part) && !/[\p{Cc}\\]/u.test(part));
  return prefix === '' || isPlain ? { bucket, prefix } : undefined;
}

/** Reads `s3://bucket/key` of a single object; undefined when it is no such address. */
export function parseS3Input(text: string): { bucket: string; key: string } | undefined {
  const match = /^s3:\/\/([^/]+)\/(.+)$/.exec(text);
  const [, bucket = '', key = ''] = match ?? [];
  const isKey = key.length <= 1_024 && !/\p{Cc}/u.test(key) && !key.split('/').some((part) => /^\.{1,2}$/.test(part));
  return BUCKET.test(bucket) && isKey ? { bucket, key } : undefined;
}

export function isS3Address(location: string): boolean {
  return location.startsWith('s3://');
}

/**
 * True for `s3:…` in whatever letters and for everything else with a scheme and a slash: half an address (an unset
 * variable in it) would silently become a folder of that name. A drive letter is no scheme.
 */
export function isAddressLike(text: string): boolean {
  return /^s3:/i.test(text) || /^[a-z][a-z0-9+.-]+:[/\\]/i.test(text);
}
