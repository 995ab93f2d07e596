/** A wall clock that never goes back: where the machine's is set back, it goes on at the pace of the monotonic one. */
export interface SteadyClock {
  /** Epoch ms. */
  now(): number;
  /** The clock was seen at this time before, by an earlier process. */
  notBefore(atMs: number): void;
}

export function createSteadyClock(wall: () => number, monotonic: () => number): SteadyClock {
  let lastMs = wall();
  let lastMonotonicMs = monotonic();
  return {
    now() {
      const monotonicMs = monotonic();
      lastMs = Math.max(wall(), lastMs + monotonicMs - lastMonotonicMs);
      lastMonotonicMs = monotonicMs;
      return Math.round(lastMs);
    },
    notBefore(atMs) {
      lastMs = Math.max(lastMs, atMs);
    },
  };
}
