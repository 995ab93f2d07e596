import type * as Sdk from '@aws-sdk/client-s3';
import { defined } from '../domain/defined.js';
import { DEFAULT_S3, type S3Environment, type S3Settings, s3Endpoint } from '../domain/s3.js';
import type { Bucket, CopySource, FileBody, ObjectFacts, OpenBucket, Page, UploadedPart } from './bucket.js';
import type { ByteRange, SignedUrl } from './port.js';
import { freshBody, knownHash } from './s3-body.js';
import { renewRefused } from './s3-refusals.js';

/** The AWS SDK, and nothing else: one bucket's requests as functions. The SDK is loaded at the first request. */

export interface S3Access {
  settings: S3Settings;
  /** Variables that win over the process's own; `{}` in a command of the user. */
  environment: S3Environment;
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
const TRIES_MAX = 6;
const OTHER_SERVERS_REGION = 'us-east-1';
const WHEN_REQUIRED = 'WHEN_REQUIRED' as const;

interface Connection {
  sdk: typeof Sdk;
  client: Sdk.S3Client;
}

export function createBuckets(access: S3Access): OpenBucket {
  let connecting: Promise<() => Promise<Connection>> | undefined;
  const connected = async () => {
    connecting ??= connect(access);
    return (await connecting)();
  };
  return (name) => ({
    ...objects(connected, name, { ...DEFAULT_S3, ...access.settings }),
    ...uploads(connected, name, { ...DEFAULT_S3, ...access.settings }),
    presign: (key, seconds, contentType) => presign(connected, { Bucket: name, Key: key }, seconds, contentType),
  });
}

async function connect({ settings, environment }: S3Access): Promise<() => Promise<Connection>> {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const sdk = await import('@aws-sdk/client-s3');
  const own = { ...process.env, ...environment };
  const endpoint = s3Endpoint(settings, own);
  const region = settings.region ?? own.AWS_REGION ?? (endpoint === undefined ? undefined : OTHER_SERVERS_REGION);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_PROFILE: profile } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN;
  const endsAtMs = Date.parse(environment.AWS_CREDENTIAL_EXPIRATION ?? '');
  const expiration = Number.isNaN(endsAtMs) ? undefined : new Date(endsAtMs);
  const hasKey = accessKeyId !== undefined && secretAccessKey !== undefined;
  const client = new sdk.S3Client({
    forcePathStyle: settings.forcePathStyle,
    maxAttempts: TRIES_MAX,
    // A request that asks first has a connection of its own in the SDK: a TLS handshake for each part.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
    // Other servers know no trailing checksums; ours are sent with every upload and compared.
    ...(endpoint === undefined
      ? {}
      : { endpoint, requestChecksumCalculation: WHEN_REQUIRED, responseChecksumValidation: WHEN_REQUIRED }),
    // The last is for the SDK's chain, which else reads a file of credentials once in the life of a process.
    ...{ ...defined({ region, profile }), ignoreCache: true },
    ...(hasKey ? { credentials: { accessKeyId, secretAccessKey, ...defined({ sessionToken, expiration }) } } : {}),
  });
  const renewed = renewRefused(client);
  return async () => ({ sdk, client: await renewed() });
}

function stored({ contentType, metadata, storageClass }: ObjectFacts, settings: S3Settings) {
  return { ContentType: contentType, Metadata: metadata, ...kept(storageClass, settings) };
}

function kept(storageClass: ObjectFacts['storageClass'], { serverSideEncryption, kmsKeyId }: S3Settings) {
  return defined({
    StorageClass: storageClass ?? undefined,
    ServerSideEncryption: serverSideEncryption ?? undefined,
    SSEKMSKeyId: kmsKeyId ?? undefined,
  });
}

function objects(connected: () => Promise<Connection>, Bucket: string, settings: S3Settings) {
  const put = async (body: object, Key: string, sha256: string, facts: ObjectFacts, open?: FileBody['open']) => {
    const { sdk, client } = await connected();
    const condition = facts.ifAbsent ? { IfNoneMatch: '*' } : {};
    const input = { Bucket, Key, ...body, ChecksumSHA256: sha256, ...condition, ...stored(facts, settings) };
    const command = new sdk.PutObjectCommand(input);
    command.middlewareStack.add(knownHash(sha256), { step: 'build' });
    if (open) command.middlewareStack.add(freshBody(open), { step: 'finalizeRequest', priority: 'low' });
    const { ChecksumSHA256 } = await client.send(command);
    return ChecksumSHA256 === undefined ? {} : { sha256: ChecksumSHA256 };
  };
  return {
    put: (Key: string, Body: Uint8Array, sha256: string, facts: ObjectFacts) => put({ Body }, Key, sha256, facts),
    putFile: (Key: string, { bytes, sha256, open }: FileBody, facts: ObjectFacts) =>
      put({ ContentLength: bytes }, Key, sha256, facts, open),
    async get(Key: string, range?: ByteRange) {
      const { sdk, client } = await connected();
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
      const found = await unlessAbsent(client.send(new sdk.GetObjectCommand({ Bucket, Key, ...part })));
      if (found?.Body === undefined) return undefined;
      const body = found.Body as AsyncIterable<Uint8Array>;
      return { body, bytes: found.ContentLength ?? -1, metadata: found.Metadata ?? {} };
    },
    async head(Key: string) {
      const { sdk, client } = await connected();
      const found = await unlessAbsent(client.send(new sdk.HeadObjectCommand({ Bucket, Key })));
      if (found === undefined) return undefined;
      const { ContentLength: bytes = -1, Metadata: metadata = {}, ETag: etag, VersionId: version } = found;
      return { bytes, metadata, ...defined({ etag, version }) };
    },
    async page(Prefix: string, delimiter: '/' | undefined, after: string | undefined): Promise<Page> {
      const { sdk, client } = await connected();
      const input = { Bucket, Prefix, ...defined({ ContinuationToken: after, Delimiter: delimiter }) };
      const found = await client.send(new sdk.ListObjectsV2Command(input));
      const objects = (found.Contents ?? []).flatMap(({ Key: key, Size: bytes = 0, LastModified: at }) =>
        key === undefined ? [] : { key, bytes, writtenAtMs: at?.getTime() ?? 0 },
      );
      const folders = (found.CommonPrefixes ?? []).flatMap((one) => one.Prefix ?? []);
      const next = found.IsTruncated === true ? found.NextContinuationToken : undefined;
      return { objects, folders, ...defined({ next }) };
    },
    async remove(Key: string) {
      const { sdk, client } = await connected();
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }));
    },
    async copy(from: string, Key: string, source?: CopySource) {
      const { sdk, client } = await connected();
      const CopySource = `${source?.bucket ?? Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`;
      const { etag, storageClass = null } = source ?? {};
      const how = { ...defined({ CopySourceIfMatch: etag }), ...kept(storageClass, settings) };
      await client.send(new sdk.CopyObjectCommand({ Bucket, Key, CopySource, ...how }));
    },
  } satisfies Partial<Bucket>;
}

function uploads(connected: () => Promise<Connection>, Bucket: string, settings: S3Settings) {
  return {
    async beginUpload(Key: string, facts: ObjectFacts) {
      const { sdk, client } = await connected();
      const input = { Bucket, Key, ChecksumAlgorithm: 'SHA256' as const, ...stored(facts, settings) };
      const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(input));
      if (UploadId === undefined) throw new Error('the server gave the upload no id');
      return UploadId;
    },
    async putPart(Key: string, UploadId: string, number: number, bytes: Uint8Array, sha256: string) {
      const { sdk, client } = await connected();
      const input = { Bucket, Key, UploadId, PartNumber: number, Body: bytes, ChecksumSHA256: sha256 };
      const command = new sdk.UploadPartCommand(input);
      command.middlewareStack.add(knownHash(sha256), { step: 'build' });
      const { ETag, ChecksumSHA256 = sha256 } = await client.send(command);
      return { number, etag: ETag ?? '', sha256: ChecksumSHA256 };
    },
    async finishUpload(Key: string, UploadId: string, parts: readonly UploadedPart[], ifAbsent: boolean) {
      const { sdk, client } = await connected();
      const Parts = parts.map(({ number, etag, sha256 }) => {
        return { PartNumber: number, ETag: etag, ChecksumSHA256: sha256 };
      });
      const condition = ifAbsent ? { IfNoneMatch: '*' } : {};
      const input = { Bucket, Key, UploadId, MultipartUpload: { Parts }, ...condition };
      await client.send(new sdk.CompleteMultipartUploadCommand(input));
    },
    async abortUpload(Key: string, UploadId: string) {
      const { sdk, client } = await connected();
      await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    },
    async uploadsBelow(Prefix: string) {
      const { sdk, client } = await connected();
      const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix }));
      return Uploads.flatMap(({ Key: key, UploadId: uploadId, Initiated }) =>
        key === undefined || uploadId === undefined ? [] : { key, uploadId, startedAtMs: Initiated?.getTime() ?? 0 },
      );
    },
  } satisfies Partial<Bucket>;
}

async function presign(
  connected: () => Promise<Connection>,
  object: { Bucket: string; Key: string },
  expiresIn: number,
  contentType: string | undefined,
): Promise<SignedUrl> {
  const { sdk, client } = await connected();
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const as = contentType === undefined ? {} : { ResponseContentType: contentType };
  const { expiration } = await client.config.credentials();
  const url = await getSignedUrl(client, new sdk.GetObjectCommand({ ...object, ...as }), { expiresIn });
  return { url, endsAtMs: Math.min(Date.now() + expiresIn * 1_000, expiration?.getTime() ?? Number.POSITIVE_INFINITY) };
}

/** Only a missing object is undefined; a missing bucket is an error. */
async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'NoSuchKey' || name === 'NotFound') return undefined;
    throw error;
  }
}
