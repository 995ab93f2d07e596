/**
 * A body that a server or a proxy on the way has packed (`Content-Encoding`), although nobody asked for it, or that it only
 * says to have packed: the header stays behind where something else has unpacked the bytes.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { codeOf, DownloadError, WrongFileError } from './vetted-request.js';

/** Enough to tell by the first bytes. */
const START_BYTES = 2;
/** By the first bytes, what unpacks the rest; undefined where they are not packed at all. */
type Chooser = (start: Uint8Array) => Transform | undefined;

/** What begins as gzip and cannot be unpacked is damaged, and never taken for plain. */
const gunzip: Chooser = ([first, second]) =>
  first === 0x1f && (second === undefined || second === 0x8b) ? createGunzip() : undefined;

/** What has another name stays as it comes: its bytes show whether it is a file that was never packed. */
const CHOOSERS: ReadonlyMap<string, Chooser> = new Map<string, Chooser>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Some send the bare stream, without the two bytes of zlib in front of it (RFC 9110, 8.4.1.2).
  [
    'deflate',
    ([first = 0, second = 0]) =>
      (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0 ? createInflate() : createInflateRaw(),
  ],
  ['br', () => createBrotliDecompress()],
]);

/** These change no byte: S3 keeps `aws-chunked`, how a file was sent to it, among what it says of the file. */
const PLAIN: ReadonlySet<string> = new Set(['', 'identity', 'aws-chunked']);

/** As many as anything on the way can have put on. */
const ENCODINGS_MAX = 3;
/** Up to here any ratio is good: a small picture of one colour packs well. */
const FREE_BYTES = 16 << 20;
/** Beyond that, media hardly pack at all: what grows more than this is a bomb. */
const RATIO_MAX = 20;

/** What the header says that the bytes were packed with, in that order; empty for a plain body. */
export function encodingsOf(header: string | string[] | undefined): string[] {
  const names = [header ?? ''].flat().flatMap((line) => line.toLowerCase().split(','));
  return names.map((name) => name.trim()).filter((name) => !PLAIN.has(name));
}

export function areTooMany(encodings: readonly string[]): boolean {
  return encodings.length > ENCODINGS_MAX;
}

/** The file's own bytes. Throws what `packed` throws, and a DownloadError for what cannot be unpacked or grows too much. */
export async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  encodings: readonly string[],
  host: string,
): AsyncIterable<Uint8Array> {
  let packedBytes = 0;
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of packed) {
      packedBytes += chunk.length;
      yield chunk;
    }
  }
  const check = (bytes: number): void => {
    if (bytes <= FREE_BYTES || bytes <= RATIO_MAX * packedBytes) return;
    throw new DownloadError('too_large', `${host} sends bytes that grow ${RATIO_MAX} times as they are unpacked`);
  };
  // What was put on last comes off first.
  const bytes = encodings.reduceRight((inner, name) => without(inner, CHOOSERS.get(name), check), counted());
  try {
    yield* bytes;
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    throw new WrongFileError(`${host} sends bytes that cannot be unpacked (${codeOf(error)})`);
  }
}

async function* without(
  packed: AsyncIterable<Uint8Array>,
  choose: Chooser | undefined,
  check: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  const source = packed[Symbol.asyncIterator]();
  const { start, chunks } = await startOf(source);
  async function* whole(): AsyncIterable<Uint8Array> {
    try {
      yield* chunks;
      for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  const decoder = start.length === 0 ? undefined : choose?.(start);
  if (decoder === undefined) {
    yield* whole();
    return;
  }
  // Without a listener an error after the last read would end the process.
  const stream = pipeline(Readable.from(whole(), { objectMode: false }), decoder, () => undefined);
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      check(bytes);
      yield chunk;
    }
  } finally {
    stream.destroy();
  }
}

async function startOf(source: AsyncIterator<Uint8Array>): Promise<{ start: Uint8Array; chunks: Uint8Array[] }> {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes < START_BYTES; ) {
    const next = await source.next();
    if (next.done === true) break;
    chunks.push(next.value);
    bytes += next.value.length;
  }
  return { start: Buffer.concat(chunks).subarray(0, START_BYTES), chunks };
}
