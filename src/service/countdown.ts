/**
 * Time limits that count only time in which the process was awake. After a suspended laptop or a stopped process the
 * operating system may hold an answer that arrived in time: a timer by the clock would throw it away unread.
 */
export interface Countdown<Name extends string> {
  /** Starts, or starts again, the limit of this name. */
  set(name: Name, limitMs: number): void;
  clear(name: Name): void;
  /** Ends all limits. */
  stop(): void;
}

const TICK_MS = 100;

/** Calls `onExpired` once per limit that runs out; late by at most one tick. */
export function createCountdown<Name extends string>(onExpired: (name: Name) => void): Countdown<Name> {
  const leftMs = new Map<Name, number>();
  let last = performance.now();
  const ticking = setInterval(() => {
    const now = performance.now();
    // One tick after a pause counts as two at most, so that what waits in the sockets is read before anything expires.
    const passedMs = Math.min(now - last, 2 * TICK_MS);
    last = now;
    for (const [name, left] of leftMs) {
      if (left > passedMs) {
        leftMs.set(name, left - passedMs);
      } else {
        leftMs.delete(name);
        onExpired(name);
      }
    }
  }, TICK_MS);
  return {
    set: (name, limitMs) => void leftMs.set(name, limitMs),
    clear: (name) => void leftMs.delete(name),
    stop: () => clearInterval(ticking),
  };
}
