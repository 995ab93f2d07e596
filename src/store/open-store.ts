import { isS3Address, parseS3Address, parseS3Input } from '../domain/s3.js';
import type { OpenBucket } from './bucket.js';
import { createFolderStore } from './folder.js';
import type { Leftover } from './leftovers.js';
import { type OnLongRequest, tellLongRequests } from './long-requests.js';
import { type SignedUrl, type Store, StoreError } from './port.js';
import { createBuckets, type S3Access } from './s3.js';
import { toS3Error } from './s3-errors.js';
import { type BucketPlace, explained } from './s3-read.js';
import { createS3Store } from './s3-store.js';

/** Opens the store at an absolute folder or an `s3://` address: `private` for homes, `shared` for outputs. */
export type OpenStore = (location: string, access: 'private' | 'shared') => Store;

/**
 * For a home: throws a StoreError when its bucket cannot be written, or does not refuse a second writer. A folder does,
 * by its file system.
 */
export async function proveBucket(store: Store): Promise<void> {
  if (isS3Address(store.location)) await store.probe();
}

interface Places {
  openStore: OpenStore;
  openInput: OpenInput;
  /** What is left in a bucket below an `s3://` address. */
  findBucketLeftovers(location: string, search: BucketSearch): AsyncIterable<Leftover>;
}

/** Everything that it opens in buckets shares one client. */
export function createPlaces(s3: S3Access, onLongRequest?: OnLongRequest): Places {
  const buckets = createBuckets(s3);
  const openBucket = onLongRequest === undefined ? buckets : tellLongRequests(buckets, onLongRequest);
  const openStore: OpenStore = (location, access) => {
    if (!isS3Address(location)) return createFolderStore(location, { access });
    const storageClass = access === 'shared' ? s3.settings.storageClass : null;
    return createS3Store(location, { openBucket, storageClass });
  };
  return {
    openStore,
    openInput: createInputOpener(openBucket),
    findBucketLeftovers: (location, search) => findBucketLeftovers(openBucket, location, search),
  };
}

/** An object of any bucket that a manifest names as an input. */
export interface S3Input {
  /** Its length; undefined when it does not exist. */
  bytes(): Promise<number | undefined>;
  read(): Promise<AsyncIterable<Uint8Array> | undefined>;
  url(seconds: number): Promise<SignedUrl>;
}

/** `address` is `s3://bucket/key`. Failures are StoreErrors. */
export type OpenInput = (address: string) => S3Input;

export function createInputOpener(openBucket: OpenBucket): OpenInput {
  return (address) => {
    const parsed = parseS3Input(address);
    if (parsed === undefined) throw new StoreError('BAD_ADDRESS', `'${address.slice(0, 200)}' is not s3://bucket/key`);
    const bucket = openBucket(parsed.bucket);
    const asked = async <T>(request: Promise<T>): Promise<T> => {
      try {
        return await request;
      } catch (error) {
        throw toS3Error(error, 'read', parsed.key, `s3://${parsed.bucket}`);
      }
    };
    return {
      bytes: async () => (await asked(bucket.head(parsed.key)))?.bytes,
      read: async () => (await asked(bucket.get(parsed.key)))?.body,
      url: (seconds) => asked(bucket.presign(parsed.key, seconds, undefined)),
    };
  };
}

/** What killed processes and ended batches leave in a bucket: uploads that broke off, which are paid for, and inputs. */

export interface BucketSearch {
  /** Nothing that was begun since (epoch ms). */
  beforeMs: number;
  /** Copies of inputs as well: for a batch of which no job runs; a later submit uploads them again. */
  inputs: boolean;
}

/** Everything left below an `s3://bucket/prefix`, one after the other. Failures are StoreErrors. */
export async function* findBucketLeftovers(
  openBucket: OpenBucket,
  location: string,
  { beforeMs, inputs }: BucketSearch,
): AsyncIterable<Leftover> {
  const address = parseS3Address(location);
  if (address === undefined) return;
  const bucket = openBucket(address.bucket);
  const below = address.prefix === '' ? '' : `${address.prefix}/`;
  const place: BucketPlace = { bucket, location, prefix: below };
  const reading = <T>(request: () => Promise<T>) => explained(place, 'read', '', request);
  const removing = (key: string, request: () => Promise<void>) => explained(place, 'remove', key, request);
  const pathOf = (key: string) => `s3://${address.bucket}/${key}`;
  for (const { key, uploadId, startedAtMs } of await reading(() => bucket.uploadsBelow(below))) {
    if (startedAtMs >= beforeMs) continue;
    const remove = () => removing(key, () => bucket.abortUpload(key, uploadId));
    yield { path: `${pathOf(key)} (upload that broke off)`, bytes: 0, remove };
  }
  if (!inputs) return;
  let after: string | undefined;
  do {
    const { objects, next } = await reading(() => bucket.page(`${below}inputs/`, undefined, after));
    for (const { key, bytes } of objects) {
      yield { path: pathOf(key), bytes, remove: () => removing(key, () => bucket.remove(key)) };
    }
    after = next;
  } while (after !== undefined);
}
