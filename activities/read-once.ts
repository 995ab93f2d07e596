/** One source for several readers, which go at the pace of the slowest. */

/** How far the fastest may be ahead: so many items are held at most. */
const AHEAD_MAX = 1_000;

/** Gives every item of the source to each reader, reading it once. The first failure ends all, and is thrown. */
export async function readOnce<T>(
  source: AsyncIterable<T>,
  readers: readonly ((items: AsyncIterable<T>) => Promise<unknown>)[],
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  const held = new Map<number, Promise<IteratorResult<T>>>();
  const read = readers.map(() => 0);
  const waiting: (() => void)[] = [];
  let failure: { error: unknown } | undefined;
  const advance = (own: number, to: number) => {
    read[own] = to;
    const slowest = Math.min(...read);
    for (const index of held.keys()) {
      if (index >= slowest) break;
      held.delete(index);
    }
    for (const go of waiting.splice(0)) go();
  };
  async function* items(own: number): AsyncIterable<T> {
    for (let index = 0; ; index += 1) {
      while (failure === undefined && index - Math.min(...read) >= AHEAD_MAX) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      if (failure !== undefined) throw failure.error;
      const next = held.get(index) ?? iterator.next();
      held.set(index, next);
      const result = await next;
      advance(own, index + 1);
      if (result.done === true) return;
      yield result.value;
    }
  }
  const run = async (reader: (typeof readers)[number], own: number) => {
    try {
      await reader(items(own));
    } catch (error) {
      failure ??= { error };
    } finally {
      advance(own, Number.POSITIVE_INFINITY);
    }
  };
  await Promise.all(readers.map(run));
  await iterator.return?.();
  if (failure !== undefined) throw failure.error;
}
