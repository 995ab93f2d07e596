import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

type Unpack = (packed: Uint8Array, maxOutputLength: number) => Buffer;

const gunzip: Unpack = (packed, maxOutputLength) =>
  gunzipSync(packed, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: (packed, maxOutputLength) => inflateSync(packed, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }),
  br: (packed, maxOutputLength) =>
    brotliDecompressSync(packed, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * The bytes of an answer that a gateway on the way has packed although nobody asked for it, as far as they came: a cut
 * answer may name a handle all the same. What cannot be unpacked stays as it is.
 */
export function unpackedAnswer(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  const unpack = UNPACKERS[(encoding ?? '').trim().toLowerCase()];
  if (unpack === undefined || body.length === 0) return body;
  try {
    return unpack(body, maxBytes);
  } catch {
    return body;
  }
}
