import { createHash } from 'node:crypto';
import { defined } from '../domain/defined.js';
import type { Bucket, StoredObject } from './bucket.js';
import {
  type ByteRange,
  byCodeUnit,
  isSafeSegment,
  type ListedObject,
  type StoredFile,
  StoreError,
  segmentsOf,
} from './port.js';
import { toS3Error } from './s3-errors.js';

/** What is read from a bucket: objects, each checked against what it says of itself, and the names of many. */

/** A prefix of a bucket. */
export interface BucketPlace {
  bucket: Bucket;
  location: string;
  /** With a slash at its end, or empty. */
  prefix: string;
}

const SHA256 = /^[0-9a-f]{64}$/;

export function objectKey({ prefix }: BucketPlace, key: string): string {
  return prefix + segmentsOf(key).join('/');
}

export async function get(place: BucketPlace, key: string): Promise<Uint8Array | undefined> {
  const stream = await read(place, key);
  if (stream === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function read(
  place: BucketPlace,
  key: string,
  range?: ByteRange,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  // What an object says of itself is said of the whole: of a part only its length is checked.
  if (range !== undefined) return unchecked(place, key, range);
  const found = await place.bucket.get(objectKey(place, key));
  return found && checked(place, key, found, found.body);
}

/** Only the length is checked: who changed an object may have left what it says of itself as it was. */
async function unchecked(
  place: BucketPlace,
  key: string,
  range?: ByteRange,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const found = await place.bucket.get(objectKey(place, key), range);
  return found && checked(place, key, { ...found, metadata: {} }, found.body);
}

/** Ends with an error when bytes are missing or are others than were stored. */
async function* checked(
  place: BucketPlace,
  key: string,
  object: StoredObject,
  body: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw toS3Error(error, 'read', key, place.location);
  }
  const { sha256 } = object.metadata;
  const isWhole = object.bytes < 0 || object.bytes === bytes;
  if (isWhole && (sha256 === undefined || !SHA256.test(sha256) || sha256 === hash.digest('hex'))) return;
  throw new StoreError('DAMAGED', `'${key}' in ${place.location} did not come whole or is damaged`, key);
}

/** By what the object says of itself, else by reading it. */
export async function statOf(place: BucketPlace, key: string): Promise<StoredFile | undefined> {
  const found = await place.bucket.head(objectKey(place, key));
  if (found === undefined) return undefined;
  const { sha256 = '', bytes } = found.metadata;
  const known = defined({ etag: found.etag, version: found.version });
  if (SHA256.test(sha256) && bytes === String(found.bytes)) return { bytes: found.bytes, sha256, ...known };
  const stream = await unchecked(place, key);
  if (stream === undefined) return undefined;
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    length += chunk.length;
  }
  return { bytes: length, sha256: hash.digest('hex'), ...known };
}

export async function* list(place: BucketPlace, below: string): AsyncIterable<string> {
  for await (const { key } of objects(place, below)) yield key;
}

export async function* objects(place: BucketPlace, below: string): AsyncIterable<ListedObject> {
  const start = startOf(place, below);
  let after: string | undefined;
  do {
    const page = await explained(place, 'read', below, () => place.bucket.page(start, undefined, after));
    for (const { key, ...facts } of page.objects) {
      const own = key.slice(place.prefix.length);
      if (own.split('/').every(isSafeSegment)) yield { key: own, ...facts };
    }
    after = page.next;
  } while (after !== undefined);
}

export async function names(place: BucketPlace, below: string): Promise<string[]> {
  const start = startOf(place, below);
  const found = new Set<string>();
  let after: string | undefined;
  do {
    const page = await place.bucket.page(start, '/', after);
    const keys = page.objects.map(({ key }) => key);
    for (const key of [...keys, ...page.folders]) found.add(key.slice(start.length).replace(/\/$/, ''));
    after = page.next;
  } while (after !== undefined);
  return [...found].filter(isSafeSegment).sort(byCodeUnit);
}

function startOf(place: BucketPlace, below: string): string {
  return below === '' ? place.prefix : `${objectKey(place, below)}/`;
}

export async function explained<T>(
  { location }: BucketPlace,
  verb: 'write' | 'read' | 'remove',
  key: string,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toS3Error(error, verb, key, location);
  }
}
