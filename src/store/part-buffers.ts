/** A few buffers for all uploads of this process: however many run side by side, they take the same memory. */

export interface PartBuffers {
  /** Runs with a buffer of so many bytes, its contents unknown; waits while all are in use. */
  use<T>(bytes: number, run: (buffer: Buffer) => Promise<T>): Promise<T>;
}

export function createPartBuffers(count: number, size: number): PartBuffers {
  const free: Buffer[] = [];
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async use(bytes, run) {
      while (taken >= count) await new Promise<void>((resolve) => waiting.push(resolve));
      taken += 1;
      // A file of more than 10,000 parts of the usual size needs larger ones, which are not kept.
      const buffer = bytes <= size ? (free.pop() ?? Buffer.allocUnsafeSlow(size)) : Buffer.allocUnsafeSlow(bytes);
      try {
        return await run(buffer.subarray(0, bytes));
      } finally {
        taken -= 1;
        if (buffer.length === size) free.push(buffer);
        waiting.shift()?.();
      }
    },
  };
}
