import { megabytes } from '../domain/shown-number.js';
import { type Store, StoreError } from './port.js';

/** Keeps downloads from filling the disk: each asks for its room before its first byte is written. */
export type DiskBudget = ReturnType<typeof createDiskBudget>;

/** Left free: a disk that is full to the last byte stops more than us. */
const KEEP_FREE_BYTES = 1 << 20;

/** One per process: what runs side by side is counted together. A store that cannot tell its room takes all. */
export function createDiskBudget() {
  const booked = new Map<string, number>();
  return {
    /** Books the bytes until the function that it gives is called. Throws a StoreError `ENOSPC` where they do not fit. */
    async reserve(store: Store, bytes: number): Promise<() => void> {
      const { location } = store;
      const free = await store.freeBytes();
      const others = booked.get(location) ?? 0;
      if (free !== undefined && free < others + bytes + KEEP_FREE_BYTES) {
        const needed = others + bytes + KEEP_FREE_BYTES;
        const room = `${megabytes(free, needed)} free, ${megabytes(needed, free)} needed`;
        throw new StoreError('ENOSPC', `cannot write to ${location}: the disk is full (${room})`);
      }
      booked.set(location, others + bytes);
      let isBooked = true;
      return () => {
        if (isBooked) booked.set(location, Math.max(0, (booked.get(location) ?? 0) - bytes));
        isBooked = false;
      };
    },
  };
}
