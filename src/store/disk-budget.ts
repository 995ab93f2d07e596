import { megabytes } from '../domain/shown-number.js';
import { type Store, StoreError } from './port.js';

/** Keeps downloads from filling the disk: each asks for its room before its first byte is written. */
export type DiskBudget = ReturnType<typeof createDiskBudget>;

export interface Booking {
  /** The stream as it is; what is taken of it is booked no more, since the disk has that much less room by then. */
  counted(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  end(): void;
}

/** Left free: a disk that is full to the last byte stops more than us. */
const KEEP_FREE_BYTES = 1 << 20;

/** One per process: what runs side by side is counted together. A store that cannot tell its room takes all. */
export function createDiskBudget() {
  const booked = new Map<string, number>();
  return {
    /** Books bytes that are to be written. Throws a StoreError `ENOSPC` where they do not fit. */
    async reserve(store: Store, bytes: number): Promise<Booking> {
      const { location } = store;
      const free = await store.freeBytes();
      const others = booked.get(location) ?? 0;
      if (free !== undefined && free < others + bytes + KEEP_FREE_BYTES) {
        const needed = others + bytes + KEEP_FREE_BYTES;
        const room = `${megabytes(free, needed)} free, ${megabytes(needed, free)} needed`;
        throw new StoreError('ENOSPC', `cannot write to ${location}: the disk is full (${room})`);
      }
      booked.set(location, others + bytes);
      let left = bytes;
      const giveBack = (count: number): void => {
        const given = Math.min(count, left);
        left -= given;
        booked.set(location, (booked.get(location) ?? 0) - given);
      };
      return {
        async *counted(source) {
          for await (const chunk of source) {
            yield chunk;
            giveBack(chunk.length);
          }
        },
        end: () => giveBack(left),
      };
    },
  };
}
