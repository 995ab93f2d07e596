/**
 * The body of a download: read as long as it comes fast enough, and unpacked where a server or a proxy on the way has
 * packed it (`Content-Encoding`), although nobody asked for it.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { codeOf, DownloadError, WrongFileError } from './vetted-request.js';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Up to here any ratio is good: a small picture of one colour packs well. */
const FREE_BYTES = 16 << 20;
/** Beyond that, media hardly pack at all: what grows more than this is a bomb. */
const RATIO_MAX = 20;

/** Whether the body is packed at all. */
export function isEncoded(encoding: string | undefined): boolean {
  return !['', 'identity'].includes(nameOf(encoding));
}

/** Undefined for a plain body, and for an encoding that nobody here can undo. */
export function decoderOf(encoding: string | undefined): (() => Transform) | undefined {
  return DECODERS[nameOf(encoding)];
}

function nameOf(encoding = ''): string {
  return encoding.trim().toLowerCase();
}

/** The unpacked bytes. Throws what `packed` throws, and a DownloadError for what cannot be unpacked or grows too much. */
export async function* decoded(
  packed: AsyncIterable<Uint8Array>,
  decoder: () => Transform,
  host: string,
): AsyncIterable<Uint8Array> {
  let packedBytes = 0;
  let bytes = 0;
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of packed) {
      packedBytes += chunk.length;
      yield chunk;
    }
  }
  // Without a listener an error after the last read would end the process.
  const unpacked = pipeline(Readable.from(counted(), { objectMode: false }), decoder(), () => undefined);
  try {
    for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > FREE_BYTES && bytes > RATIO_MAX * packedBytes) {
        throw new DownloadError('too_large', `${host} sends bytes that grow ${RATIO_MAX} times as they are unpacked`);
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    throw new WrongFileError(`${host} sends bytes that cannot be unpacked (${codeOf(error)})`);
  } finally {
    unpacked.destroy();
  }
}

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
