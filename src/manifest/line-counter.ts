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
