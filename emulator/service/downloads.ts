/** Downloads of outputs: `/media/{id}`, without a key, with HEAD, ranges and a strong ETag; 403 once the URL has expired. */

import type { IncomingHttpHeaders } from 'node:http';
import type { AppliedFaults } from '../faults/fault-engine.js';
import type { Output } from '../media/outputs.js';
import { type Incoming, jsonAnswer, type WireAnswer, type World } from '../model/world.js';

/** The output that a path names. */
export function findOutput(world: World, path: string): Output | undefined {
  const id = /^\/media\/([a-z0-9]+)\.(png|mp4)$/.exec(path)?.[1];
  return id === undefined ? undefined : world.outputs.get(id);
}

/** The answer to a download; the file is deleted once it has outlived its time, and its URL is refused before that. */
export async function mediaAnswer(
  world: World,
  output: Output | undefined,
  { parameters, headers }: Incoming,
  faults: AppliedFaults,
): Promise<WireAnswer> {
  if (output === undefined) return jsonAnswer(404, { detail: 'No such file.' });
  const { late } = output;
  if (late !== undefined && world.clock.nowMs() < late.untilMs)
    return jsonAnswer(late.status, { detail: 'Not there yet.' });
  const isLate = world.clock.nowMs() >= output.expiresMs;
  if (isLate || !world.outputs.isValid(output, parameters)) return jsonAnswer(403, { detail: 'This URL has expired.' });
  const file = await world.outputs.read(output);
  const etag =
    faults.get('change-etag') === undefined ? `"${output.sha256.slice(0, 32)}"` : `"changed-${faults.names.length}"`;
  const common = { 'content-type': output.contentType, 'accept-ranges': 'bytes', etag };
  const range = faults.get('ignore-range') === undefined ? rangeOf(headers, etag, file.length) : undefined;
  if (range === undefined) return { status: 200, headers: common, body: file };
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { ...common, 'content-range': `bytes */${file.length}` }, body: Buffer.alloc(0) };
  }
  const shift = faults.get('wrong-content-range') === undefined ? 0 : 1;
  const contentRange = `bytes ${range.start + shift}-${range.end + shift}/${file.length + shift}`;
  return {
    status: 206,
    headers: { ...common, 'content-range': contentRange },
    body: file.subarray(range.start, range.end + 1),
  };
}

type ByteRange = { start: number; end: number };

/** One range, as RFC 9110 reads it; several ranges, or an If-Range of another file, are answered with the whole file. */
function rangeOf(headers: IncomingHttpHeaders, etag: string, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  if (match === null) return undefined;
  const [, first, last] = match;
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? 'unsatisfiable' : { start: bytes - count, end: bytes - 1 };
  }
  const start = Number(first);
  if (start >= bytes) return 'unsatisfiable';
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return end < start ? undefined : { start, end };
}
