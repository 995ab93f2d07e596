/** Decides when an engine that nobody needs ends: so long after the last open batch, or after its last use. */
export interface IdleClock {
  /** A client joined, or handed over an account. */
  used(): void;
  openBatches(count: number): void;
  /** Null until the worker has counted them. */
  count(): number | null;
  /** Null while batches are open. */
  endsAtMs(): number | null;
}

export function createIdleClock(idleMs: number, nowMs: () => number): IdleClock {
  let lastUsedMs = nowMs();
  let open: number | null = null;
  return {
    used() {
      lastUsedMs = nowMs();
    },
    openBatches(count) {
      // The time runs from the moment when the last batch closed, not from the last report of an open one.
      if (count > 0 || (open ?? 0) > 0) lastUsedMs = nowMs();
      open = count;
    },
    count: () => open,
    endsAtMs: () => ((open ?? 0) > 0 ? null : lastUsedMs + idleMs),
  };
}
