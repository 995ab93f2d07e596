/** Looks at the start of a stream without losing it. */

export interface PeekedBytes {
  /** At least `atLeast` bytes, fewer only when the stream has no more. */
  head: Uint8Array;
  /** The stream from its start, once. */
  whole: AsyncIterable<Uint8Array>;
  /** Ends the stream where it is; harmless after its end. */
  close(): Promise<void>;
}

export async function peekBytes(source: AsyncIterable<Uint8Array>, atLeast: number): Promise<PeekedBytes> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < atLeast) {
    const next = await iterator.next();
    if (next.done === true) break;
    chunks.push(next.value);
    bytes += next.value.length;
  }
  async function* whole(): AsyncIterable<Uint8Array> {
    yield* chunks.splice(0);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return {
    head: Buffer.concat(chunks),
    whole: whole(),
    close: async () => {
      await iterator.return?.();
    },
  };
}
