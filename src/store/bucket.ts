import type { Readable } from 'node:stream';
import type { S3StorageClass } from '../domain/s3.js';
import type { ByteRange, ListedObject, SignedUrl } from './port.js';

/** One bucket's requests as functions, whatever sends them. */

/** What an object is stored with. */
export interface ObjectFacts {
  contentType: string;
  /** `x-amz-meta-…`, all lower case. */
  metadata: Record<string, string>;
  /** Refuse to replace: the request fails with `PreconditionFailed` when the key exists. */
  ifAbsent: boolean;
  storageClass: S3StorageClass | null;
}

export interface StoredObject {
  bytes: number;
  metadata: Record<string, string>;
  etag?: string;
  version?: string;
}

/** What is copied from another bucket, as long as it is this one. */
export interface CopySource {
  bucket: string;
  etag: string;
  storageClass: S3StorageClass | null;
}

export interface Page {
  objects: ListedObject[];
  /** With a delimiter: the folders directly below, each ending with `/`. */
  folders: string[];
  /** Where the next page starts; absent on the last. */
  next?: string;
}

export interface UploadedPart {
  number: number;
  etag: string;
  /** base64 */
  sha256: string;
}

/** A body that is read from a file while it is sent. */
export interface FileBody {
  bytes: number;
  /** base64 */
  sha256: string;
  /** From its start; once for each try. */
  open(): Readable;
}

interface OpenUpload {
  key: string;
  uploadId: string;
  startedAtMs: number;
}

/** Every function throws what the SDK throws; absent objects are undefined where that is said. */
export interface Bucket {
  put(key: string, bytes: Uint8Array, sha256: string, facts: ObjectFacts): Promise<{ sha256?: string }>;
  putFile(key: string, file: FileBody, facts: ObjectFacts): Promise<{ sha256?: string }>;
  /** With a range, `bytes` are those of the part. */
  get(key: string, range?: ByteRange): Promise<(StoredObject & { body: AsyncIterable<Uint8Array> }) | undefined>;
  head(key: string): Promise<StoredObject | undefined>;
  page(prefix: string, delimiter: '/' | undefined, after: string | undefined): Promise<Page>;
  remove(key: string): Promise<void>;
  /** Within the bucket; with `source`, from another one or under a condition. */
  copy(from: string, to: string, source?: CopySource): Promise<void>;
  beginUpload(key: string, facts: ObjectFacts): Promise<string>;
  putPart(key: string, uploadId: string, number: number, bytes: Uint8Array, sha256: string): Promise<UploadedPart>;
  finishUpload(key: string, uploadId: string, parts: readonly UploadedPart[], ifAbsent: boolean): Promise<void>;
  abortUpload(key: string, uploadId: string): Promise<void>;
  /** The unfinished uploads of every key that begins so, at most 1,000. */
  uploadsBelow(prefix: string): Promise<OpenUpload[]>;
  /** A URL that reads the object without credentials, for so long, under the given type or its own. */
  presign(key: string, seconds: number, contentType: string | undefined): Promise<SignedUrl>;
}

/** One client for every bucket of an access. */
export type OpenBucket = (name: string) => Bucket;
