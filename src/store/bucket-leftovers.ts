import { parseS3Address } from '../domain/s3.js';
import type { OpenBucket } from './bucket.js';
import type { Leftover } from './leftovers.js';
import { type BucketPlace, explained } from './s3-read.js';

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
    const { keys, next } = await reading(() => bucket.page(`${below}inputs/`, undefined, after));
    for (const key of keys) {
      const bytes = (await reading(() => bucket.head(key)))?.bytes ?? 0;
      yield { path: pathOf(key), bytes, remove: () => removing(key, () => bucket.remove(key)) };
    }
    after = next;
  } while (after !== undefined);
}
