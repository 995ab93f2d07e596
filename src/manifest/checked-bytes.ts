import { isUtf8 } from 'node:buffer';
import { ManifestStop } from './problem.js';

/** The bytes of a manifest, checked as they pass: without BOMs before the first character, valid UTF-8, no NUL. */
export interface CheckedBytes {
  chunks: AsyncGenerator<Buffer>;
  lines: LineCounter;
  /** Set when the chunks ended early because of a bad byte. */
  failure(): ManifestStop | undefined;
}

/**
 * Passes a byte stream on and ends it at the first byte that is not UTF-8 text. Ending instead of throwing keeps the
 * records before that byte, so that their problems are reported too.
 */
export function checkedBytes(source: AsyncIterable<Uint8Array>): CheckedBytes {
  const lines = createLineCounter();
  let failure: ManifestStop | undefined;
  async function* chunks(): AsyncGenerator<Buffer> {
    let carried: Buffer = Buffer.alloc(0);
    let offset = 0;
    let atStart = true;
    for await (const piece of source) {
      let chunk: Buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      if (carried.length > 0) chunk = Buffer.concat([carried, chunk]);
      if (atStart && chunk.length < 3) {
        carried = chunk;
        continue;
      }
      const held = incompleteTail(chunk);
      const whole = chunk.subarray(0, chunk.length - held);
      const bad = badByte(whole);
      const good = bad === undefined ? whole : whole.subarray(0, bad.at);
      failure = bad && stopAt(bad, offset);
      const text: Buffer = atStart ? good.subarray(bomsBytes(good)) : good;
      atStart = atStart && text.length === 0;
      carried = chunk.subarray(chunk.length - held);
      offset += whole.length;
      if (text.length > 0) {
        lines.add(text);
        yield text;
      }
      if (failure !== undefined) return;
    }
    if (carried.length === 0) return;
    const bad = badByte(carried);
    failure = bad && stopAt(bad, offset);
    if (failure !== undefined) return;
    lines.add(carried);
    yield carried;
  }
  return { chunks: chunks(), lines, failure: () => failure };
}

/** Several stand there where files were put together that each have one. */
function bomsBytes(chunk: Buffer): number {
  let at = 0;
  while (chunk[at] === 0xef && chunk[at + 1] === 0xbb && chunk[at + 2] === 0xbf) at += 3;
  return at;
}

/** The same for the text of a line. */
export function withoutBoms(text: string): string {
  return text.replace(/^\ufeff+/, '');
}

/** How many bytes at the end may be the beginning of a character that the next chunk completes. */
function incompleteTail(chunk: Buffer): number {
  for (let back = 1; back <= Math.min(3, chunk.length); back += 1) {
    const byte = chunk[chunk.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/** Where a chunk stops being text. */
interface BadByte {
  at: number;
  isNul: boolean;
}

function badByte(chunk: Buffer): BadByte | undefined {
  const nul = chunk.indexOf(0);
  const valid = isUtf8(chunk);
  if (nul === -1 && valid) return undefined;
  const invalid = valid ? -1 : firstInvalid(chunk);
  const isNul = nul !== -1 && (invalid === -1 || nul < invalid);
  return { at: isNul ? nul : invalid, isNul };
}

function stopAt({ at, isNul }: BadByte, offset: number): ManifestStop {
  if (isNul) return new ManifestStop('B4', 1, 1, `binary data at byte ${offset + at}; is this a CSV?`);
  return new ManifestStop('B3', 1, 1, `not valid UTF-8 at byte ${offset + at}; save as UTF-8`);
}

/** The position of the first byte that cannot stand where it stands, by halving. */
function firstInvalid(chunk: Buffer): number {
  let good = 0;
  let bad = chunk.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const cut = middle - incompleteTail(chunk.subarray(0, middle));
    if (isUtf8(chunk.subarray(0, cut))) good = middle;
    else bad = middle;
  }
  return good - incompleteTail(chunk.subarray(0, good));
}

/** Tells the line of a byte offset while a stream passes, keeping only the bytes that are still in flight. */
export interface LineCounter {
  /** Appends the next bytes of the stream. */
  add(chunk: Buffer): void;
  /** The 1-based line on which the byte at `offset` stands; offsets must not go back. */
  lineAt(offset: number): number;
  /** The offset of the first byte at or after `offset` that is no line end. */
  skipLineEnds(offset: number): number;
  /** The bytes from `offset` that are still kept (those behind the last `lineAt`). */
  from(offset: number): Buffer;
}

const LF = 10;
const CR = 13;

/**
 * A line ends at LF, CR LF or a lone CR. The CSV parser's own count is not used: it counts a CR LF inside a quoted
 * cell twice, and it names the last line of a record where people look for the first.
 */
export function createLineCounter(): LineCounter {
  const chunks: Buffer[] = [];
  let base = 0;
  let position = 0;
  let line = 1;
  let afterCr = false;

  function byteAt(offset: number): number | undefined {
    let start = base;
    for (const chunk of chunks) {
      if (offset < start + chunk.length) return chunk[offset - start];
      start += chunk.length;
    }
    return undefined;
  }

  function count(chunk: Buffer, start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      const byte = chunk[at];
      if (byte === CR || (byte === LF && !afterCr)) line += 1;
      afterCr = byte === CR;
    }
  }

  return {
    add(chunk) {
      chunks.push(chunk);
    },
    lineAt(offset) {
      while (position < offset) {
        const first = chunks[0];
        if (first === undefined) break;
        const end = Math.min(offset - base, first.length);
        count(first, position - base, end);
        position = base + end;
        if (end < first.length) break;
        base += first.length;
        chunks.shift();
      }
      return line;
    },
    skipLineEnds(offset) {
      let at = offset;
      for (let byte = byteAt(at); byte === LF || byte === CR; byte = byteAt(at)) at += 1;
      return at;
    },
    from(offset) {
      return Buffer.concat(chunks).subarray(Math.max(0, offset - base));
    },
  };
}
