import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Exchange } from '../domain/exchange.js';
import { withoutKeys } from '../domain/secret.js';
import { areTooMany, encodingsOf } from './download-encoding.js';

type Unpack = (packed: Uint8Array, maxOutputLength: number) => Buffer;

const SYNC_FLUSH = { finishFlush: constants.Z_SYNC_FLUSH };

const gunzip: Unpack = (packed, maxOutputLength) => gunzipSync(packed, { maxOutputLength, ...SYNC_FLUSH });

/** How JSON and pages begin. */
const PLAIN = /^(?:\xef\xbb\xbf)?[\t\n\r ]*[{[<]/;

/**
 * Some send the bare stream, without the two bytes of zlib in front of it (RFC 9110, 8.4.1.2). That has no mark of its own:
 * text that was never packed may be read as one.
 */
const inflate: Unpack = (packed, maxOutputLength) => {
  const start = Buffer.from(packed.subarray(0, 64));
  if (PLAIN.test(start.toString('latin1'))) return Buffer.from(packed);
  const isZlib = start.length > 1 && ((start[0] ?? 0) & 0x0f) === 8 && start.readUInt16BE(0) % 31 === 0;
  return (isZlib ? inflateSync : inflateRawSync)(packed, { maxOutputLength, ...SYNC_FLUSH });
};

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: (packed, maxOutputLength) =>
    brotliDecompressSync(packed, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * The bytes of an answer that a gateway on the way has packed although nobody asked for it, as far as they came: a cut
 * answer may name a handle all the same. What cannot be unpacked stays as it is.
 */
export function unpackedAnswer(body: Buffer, encoding: string | string[] | undefined, maxBytes: number): Buffer {
  const encodings = encodingsOf(encoding);
  if (encodings.length === 0 || areTooMany(encodings) || body.length === 0) return body;
  // What was put on last comes off first.
  return encodings.reduceRight((packed, name) => {
    try {
      return UNPACKERS[name]?.(packed, maxBytes) ?? packed;
    } catch {
      // Two on the way may name one packing, each in a header of its own.
      return packed;
    }
  }, body);
}

const KEY_START = 'sk-svc-';
/** A character of JSON that is written by its number. */
const ESCAPED = /\\(?:\\|u00([2-7][0-9a-f]))/gi;

/**
 * The exchange without any API key that the service or something on the way put into its answer, so that none can reach
 * a record, a result, a log or a terminal, wherever it stood.
 */
export function redactedExchange(exchange: Exchange, key: string): Exchange {
  switch (exchange.outcome) {
    case 'not_sent':
      return exchange;
    case 'lost': {
      const { partialBody } = exchange;
      return partialBody === undefined ? exchange : { ...exchange, partialBody: redactedBody(partialBody, key) };
    }
    case 'answered': {
      const { answer } = exchange;
      const [contentType, retryAfter] = [answer.contentType, answer.retryAfter].map(
        (header) => header && withoutKeys(header, key),
      );
      return { ...exchange, answer: { ...answer, contentType, retryAfter, body: redactedBody(answer.body, key) } };
    }
  }
}

/** An answer may be hundreds of megabytes: it is copied only where there is something to take out. */
function redactedBody(body: Uint8Array, key: string): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!bytes.includes(KEY_START) && !bytes.includes('\\u00')) return body;
  // Byte by byte: what is no UTF-8 stays as it is.
  const text = bytes.toString('latin1').replace(ESCAPED, unescaped);
  return text.includes(KEY_START) ? Buffer.from(withoutKeys(text, key), 'latin1') : body;
}

/** Letters, digits, `-` and `_` alone: what means something in JSON stays escaped. */
function unescaped(written: string, code: string | undefined): string {
  const character = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
  return /^[\w-]$/.test(character) ? character : written;
}

/** A header that came twice is a list, whatever the types say. */
export function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
