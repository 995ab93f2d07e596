import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { OutputFile } from '../domain/outcome.js';
import { isS3Address } from '../domain/s3.js';
import type { Store } from '../store/port.js';

/** One output as an answer that a browser can seek in, and that can be nothing but a picture, a film or a sound. */

const SHOWN = /^(image\/(png|jpeg|webp|gif|avif)|video\/(mp4|quicktime|webm)|audio\/[a-z0-9.+-]+)$/;

export async function mediaAnswer(
  store: Store,
  key: string,
  file: OutputFile,
  rangeHeader: string | undefined,
): Promise<Response> {
  const headers: Record<string, string> = {
    'content-type': SHOWN.test(file.contentType) ? file.contentType : 'application/octet-stream',
    ...(SHOWN.test(file.contentType) ? {} : { 'content-disposition': 'attachment' }),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, max-age=3600',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  };
  const bytes = await store.size(key);
  if (bytes === undefined) return new Response('this file is not there any more', { status: 404 });
  const range = rangeOf(rangeHeader, bytes);
  if (range === 'outside') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${bytes}` } });
  }
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  headers['content-length'] = String(end - start + 1);
  if (range !== undefined) headers['content-range'] = `bytes ${start}-${end}/${bytes}`;
  const body = await streamOf(store, key, start, end);
  return new Response(body, { status: range === undefined ? 200 : 206, headers });
}

/** One range; several, or what is no range, are answered with the whole. */
function rangeOf(header: string | undefined, bytes: number): { start: number; end: number } | 'outside' | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [, from = '', to = ''] = found ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return start >= bytes || start > end ? 'outside' : { start, end };
}

async function streamOf(store: Store, key: string, start: number, end: number): Promise<ReadableStream | null> {
  if (!isS3Address(store.location)) {
    return end < start ? null : webStream(createReadStream(join(store.location, key), { start, end }));
  }
  const source = await store.read(key);
  return source === undefined ? null : webStream(Readable.from(cut(source, start, end)));
}

/** A bucket's file is read from its beginning: the store has no verb for a part of one. */
async function* cut(source: AsyncIterable<Uint8Array>, start: number, end: number): AsyncIterable<Uint8Array> {
  let at = 0;
  for await (const chunk of source) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    if (part.length > 0) yield part;
    at += chunk.length;
    if (at > end) return;
  }
}

function webStream(stream: Readable): ReadableStream {
  return Readable.toWeb(stream) as NodeStream as ReadableStream;
}
