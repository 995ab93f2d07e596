/** Media that a server or a proxy on the way has packed (`Content-Encoding`), although nobody asked for it. */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { DownloadError, WrongFileError } from './download-error.js';
import { codeOf } from './vetted-get.js';

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
