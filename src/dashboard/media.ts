import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { OutputFile } from '../domain/outcome.js';
import type { ByteRange, Store } from '../store/port.js';

/** One output as an answer that a browser can seek in, and that can be nothing but a picture, a film or a sound. */

const SHOWN = /^(image\/(png|jpeg|webp|gif|avif)|video\/(mp4|quicktime|webm)|audio\/[a-z0-9.+-]+)$/;

/** Throws a `StoreError` for what the store does not read. */
export async function mediaAnswer(
  store: Store,
  key: string,
  file: OutputFile,
  asked: { range: string | undefined; isHead: boolean },
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
  const range = rangeOf(asked.range, bytes);
  if (range === 'outside') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${bytes}` } });
  }
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  headers['content-length'] = String(end - start + 1);
  if (range !== undefined) headers['content-range'] = `bytes ${start}-${end}/${bytes}`;
  const source = asked.isHead ? undefined : await store.read(key, range);
  const body = source === undefined ? null : (Readable.toWeb(Readable.from(source)) as NodeStream as ReadableStream);
  return new Response(body, { status: range === undefined ? 200 : 206, headers });
}

/** One range; several, or what is no range, are answered with the whole. */
function rangeOf(header: string | undefined, bytes: number): ByteRange | 'outside' | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [, from = '', to = ''] = found ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return start >= bytes || start > end ? 'outside' : { start, end };
}
