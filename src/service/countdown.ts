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

/**
 * Tells every 100 ms how long the process was awake since, ms; gives what ends it. A clock cannot be asked for that:
 * the monotonic one stands still in a sleep of the machine on Linux alone.
 */
export function everyTick(onTick: (passedMs: number) => void): () => void {
  let last = performance.now();
  const ticking = setInterval(() => {
    const now = performance.now();
    // One tick after a pause counts as two at most, so that what waits in the sockets is read before anything expires.
    const passedMs = Math.min(now - last, 2 * TICK_MS);
    last = now;
    onTick(passedMs);
  }, TICK_MS);
  return () => clearInterval(ticking);
}

/** Calls `onExpired` once per limit that runs out; late by at most one tick. */
export function createCountdown<Name extends string>(onExpired: (name: Name) => void): Countdown<Name> {
  const leftMs = new Map<Name, number>();
  const stop = everyTick((passedMs) => {
    // A limit that is set again as one runs out begins with the next tick.
    for (const name of [...leftMs.keys()]) {
      const left = leftMs.get(name);
      if (left === undefined) continue;
      if (left > passedMs) {
        leftMs.set(name, left - passedMs);
      } else {
        leftMs.delete(name);
        onExpired(name);
      }
    }
  });
  return {
    set: (name, limitMs) => void leftMs.set(name, limitMs),
    clear: (name) => void leftMs.delete(name),
    stop,
  };
}
