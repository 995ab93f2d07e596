import { createHash, randomBytes } from 'node:crypto';
import { parseS3Address, type S3StorageClass } from '../domain/s3.js';
import type { OpenBucket } from './bucket.js';
import { parallel } from './parallel.js';
import { type CommittedFile, type CopyOptions, type FilePlace, type Store, StoreError, segmentsOf } from './port.js';
import { isTaken, s3Code, toS3Error, triesOf } from './s3-errors.js';
import { type BucketPlace, explained, get, list, names, objectKey, objects, read, statOf } from './s3-read.js';
import {
  againstConflicts,
  commit,
  factsOf,
  ONE_REQUEST_BYTES_MAX,
  ownFile,
  streamToBucket,
  toBase64,
  type UploadPlace,
} from './s3-stream.js';

/** A store in an S3 bucket, below a prefix. Needs a server that honours `If-None-Match: *`, which `probe` proves. */

export interface S3StoreOptions {
  openBucket: OpenBucket;
  /** Of streamed files; null = the bucket's standard. */
  storageClass: S3StorageClass | null;
  /** Larger files are uploaded in parts. */
  oneRequestBytesMax?: number;
}

const WIDTH = 16;

/** Opens nothing and asks nothing. Throws a StoreError `BAD_ADDRESS` for what is no `s3://bucket/prefix`. */
export function createS3Store(location: string, options: S3StoreOptions): Store {
  const { openBucket, storageClass, oneRequestBytesMax = ONE_REQUEST_BYTES_MAX } = options;
  const address = parseS3Address(location);
  if (address === undefined) {
    throw new StoreError('BAD_ADDRESS', `'${location.slice(0, 200)}' is no address of the form s3://bucket/prefix`);
  }
  const prefix = address.prefix === '' ? '' : `${address.prefix}/`;
  const place: BucketPlace = { bucket: openBucket(address.bucket), location, prefix };
  const stat = (key: string) => explained(place, 'read', key, () => statOf(place, key));
  const upload = { stat, storageClass, oneRequestBytesMax, objectKey: (key: string) => objectKey(place, key) };
  return {
    location,
    put: (key, bytes) => explained(place, 'write', key, () => put(place, key, bytes)),
    putIfAbsent: (key, bytes) => explained(place, 'write', key, () => putIfAbsent(place, key, bytes)),
    putAllIfAbsent: async (entries) => {
      const outcome: boolean[] = [];
      for (const { key } of entries) segmentsOf(key);
      for (const { key, bytes } of entries) {
        outcome.push(await explained(place, 'write', key, () => putIfAbsent(place, key, bytes)));
      }
      return outcome;
    },
    get: (key) => explained(place, 'read', key, () => get(place, key)),
    read: (key, range) => explained(place, 'read', key, () => read(place, key, range)),
    list: (below) => list(place, below),
    objects: (below) => objects(place, below),
    names: (below) => explained(place, 'read', below, () => names(place, below)),
    remove: (key) => explained(place, 'remove', key, () => place.bucket.remove(objectKey(place, key))),
    removeAll: (below) =>
      everyKey(place, below, (key) =>
        explained(place, 'remove', key, () => place.bucket.remove(objectKey(place, key))),
      ),
    moveAll: (from, to) =>
      everyKey(place, from, (key) =>
        explained(place, 'write', key, () => move(place, key, `${to}${key.slice(from.length)}`)),
      ),
    putStream: (key, source, options) => streamToBucket({ ...place, ...upload }, key, source, options),
    copyFile: (from, key, copyOptions) => copyIntoBucket({ ...place, ...upload }, openBucket, from, key, copyOptions),
    placeOf: (key) => ({ in: 'bucket', bucket: address.bucket, object: objectKey(place, key) }),
    stat,
    size: (key) => explained(place, 'read', key, async () => (await place.bucket.head(objectKey(place, key)))?.bytes),
    url: (key, seconds, contentType) =>
      explained(place, 'read', key, () => place.bucket.presign(objectKey(place, key), seconds, contentType)),
    freeBytes: () => Promise.resolve(undefined),
    probe: () => explained(place, 'write', '', () => probe(place)),
  };
}

async function put(place: BucketPlace, key: string, bytes: Uint8Array, ifAbsent = false): Promise<void> {
  const file = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  const facts = { ...factsOf(key, bytes, file), ifAbsent };
  const sent = toBase64(file.sha256);
  const told = await place.bucket.put(objectKey(place, key), bytes, sent, facts);
  if (told.sha256 === undefined || told.sha256 === sent) return;
  throw new StoreError('BAD_CHECKSUM', `${place.location} stored other bytes as '${key}' than were sent`, key);
}

async function putIfAbsent(place: BucketPlace, key: string, bytes: Uint8Array): Promise<boolean> {
  let wasRepeated = false;
  const write = () =>
    put(place, key, bytes, true).catch((error: unknown) => {
      wasRepeated ||= triesOf(error) > 1;
      throw error;
    });
  try {
    await againstConflicts(write);
    return true;
  } catch (error) {
    if (!isTaken(error)) throw error;
    if (!wasRepeated) return false;
    // The answer to an earlier try may have been lost after the server wrote it: then what is there is ours.
    const there = await get(place, key);
    return there !== undefined && Buffer.from(bytes).equals(there);
  }
}

async function everyKey(place: BucketPlace, below: string, run: (key: string) => Promise<void>): Promise<void> {
  segmentsOf(below);
  const keys: string[] = [];
  for await (const key of list(place, below)) keys.push(key);
  await parallel(keys, WIDTH, run);
}

async function move(place: BucketPlace, from: string, to: string): Promise<void> {
  await place.bucket.copy(objectKey(place, from), objectKey(place, to));
  await place.bucket.remove(objectKey(place, from));
}

/** Writes, reads and removes a file, and makes sure that a second writer is refused. */
async function probe(place: BucketPlace): Promise<void> {
  const key = `probe-${randomBytes(6).toString('hex')}`;
  const first = Buffer.from('callsheet');
  await putIfAbsent(place, key, first);
  try {
    const isRefused = !(await putIfAbsent(place, key, Buffer.from('a second writer')));
    const there = await get(place, key);
    if (isRefused && there !== undefined && first.equals(there)) return;
    throw new StoreError(
      'NO_CONDITIONAL_WRITES',
      `${place.location} lets a second writer replace a file that must be kept (its server ignores If-None-Match): use another server, or a folder`,
    );
  } finally {
    await place.bucket.remove(objectKey(place, key));
  }
}

/** Lets the server copy an object of its own, under the condition that it is the one that is meant. */
export async function copyIntoBucket(
  place: UploadPlace,
  openBucket: OpenBucket,
  from: FilePlace,
  key: string,
  options: CopyOptions,
): Promise<CommittedFile> {
  if (from.in !== 'bucket') throw new StoreError('BAD_ADDRESS', `${place.location} takes no copy from a folder`, key);
  const { expected } = options;
  const changed = () =>
    new StoreError(
      'CHANGED',
      `s3://${from.bucket}/${from.object} is not the object that was stored there any more`,
      key,
    );
  const etag = await etagOf(openBucket, from, expected.sha256).catch((error: unknown) => {
    throw toS3Error(error, 'read', key, place.location);
  });
  if (etag === undefined || (expected.etag !== undefined && expected.etag !== etag)) throw changed();
  const source = { bucket: from.bucket, etag, storageClass: place.storageClass };
  return commit(place, key, expected, { ...options, ifExists: 'fail' }, async (candidate) => {
    try {
      await place.bucket.copy(from.object, place.objectKey(candidate), source);
    } catch (error) {
      if (['PreconditionFailed', 'NoSuchKey'].includes(s3Code(error))) throw changed();
      throw toS3Error(error, 'write', candidate, place.location);
    }
    const own = ownFile(await place.stat(candidate), expected, false);
    if (own !== undefined) return own;
    throw new StoreError('BAD_CHECKSUM', `'${candidate}' in ${place.location} is not what was copied there`, candidate);
  });
}

async function etagOf(
  openBucket: OpenBucket,
  { bucket, object }: { bucket: string; object: string },
  sha256: string,
): Promise<string | undefined> {
  const found = await openBucket(bucket).head(object);
  return found?.metadata.sha256 === sha256 ? found.etag : undefined;
}
