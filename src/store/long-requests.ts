import type { Bucket, OpenBucket } from './bucket.js';

/** A request that is refused for now is asked again for up to 20 s. */
const LONG_MS = 1_500;

/** Told of each request that is small and takes long all the same, while it still waits. */
export type OnLongRequest = (bucket: string) => void;

/** Tells of requests without an answer that is good; what carries files or copies them takes as long as it takes. */
export function tellLongRequests(openBucket: OpenBucket, onLong: OnLongRequest): OpenBucket {
  return (name) => {
    const timed = <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) => {
      return async (...args: Args): Promise<T> => {
        const timer = setTimeout(() => onLong(name), LONG_MS);
        try {
          return await ask(...args);
        } finally {
          clearTimeout(timer);
        }
      };
    };
    const bucket: Bucket = openBucket(name);
    const { put, get, head, page, remove } = bucket;
    return { ...bucket, put: timed(put), get: timed(get), head: timed(head), page: timed(page), remove: timed(remove) };
  };
}
