/** The body of a download, read as long as it comes fast enough. */
import { codeOf, DownloadError } from './vetted-request.js';

export interface RateLimits {
  minBytesPerSecond: number;
  rateWindowMs: number;
}

/**
 * Only the time spent waiting for the sender counts: a slow disk is not its fault. Throws a DownloadError `too_slow`,
 * or `short` when the connection breaks or falls silent.
 */
export async function* readSteadily(
  body: AsyncIterable<Uint8Array>,
  host: string,
  { minBytesPerSecond, rateWindowMs }: RateLimits,
): AsyncIterable<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const askedMs = performance.now();
      const next = await iterator.next().catch((error: unknown) => {
        throw new DownloadError('short', `${host} broke off (${codeOf(error)})`);
      });
      if (next.done === true) return;
      waitedMs += performance.now() - askedMs;
      bytes += next.value.length;
      if (waitedMs >= rateWindowMs) {
        const bytesPerSecond = Math.floor((bytes * 1_000) / waitedMs);
        if (bytesPerSecond < minBytesPerSecond) {
          throw new DownloadError('too_slow', `${host} sends ${bytesPerSecond} bytes a second`);
        }
        waitedMs = 0;
        bytes = 0;
      }
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
