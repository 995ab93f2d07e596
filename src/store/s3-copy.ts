import type { OpenBucket } from './bucket.js';
import { type CommittedFile, type CopyOptions, type FilePlace, StoreError } from './port.js';
import { s3Code, toS3Error } from './s3-errors.js';
import { commit, ownFile, type UploadPlace } from './s3-stream.js';

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
