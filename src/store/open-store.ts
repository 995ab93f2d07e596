import { isS3Address } from '../domain/s3.js';
import { type BucketSearch, findBucketLeftovers } from './bucket-leftovers.js';
import { createFolderStore } from './folder.js';
import type { Leftover } from './leftovers.js';
import type { Store } from './port.js';
import { createBuckets, type S3Access } from './s3.js';
import { createInputOpener, type OpenInput } from './s3-input.js';
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
export function createPlaces(s3: S3Access): Places {
  const openBucket = createBuckets(s3);
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
