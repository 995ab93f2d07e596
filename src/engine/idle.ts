/** Decides when an engine that nobody needs ends: so long after the last open batch or other work, or its last use. */
/** What goes on at the server: batches, and other workflows but the semaphores. */
export interface OpenWork {
  batches: number;
  others: number;
}

export interface IdleClock {
  /** A client joined, or handed over an account. */
  used(): void;
  open(work: OpenWork): void;
  /** Null until the worker has counted it. */
  work(): OpenWork | null;
  /** Null while anything is open. */
  endsAtMs(): number | null;
}

export function createIdleClock(idleMs: number, nowMs: () => number): IdleClock {
  let lastUsedMs = nowMs();
  let open: OpenWork | null = null;
  const isBusy = (work: OpenWork | null): boolean => work !== null && work.batches + work.others > 0;
  return {
    used() {
      lastUsedMs = nowMs();
    },
    open(work) {
      // The time runs from the moment when the last batch closed, not from the last report of an open one.
      if (isBusy(work) || isBusy(open)) lastUsedMs = nowMs();
      open = work;
    },
    work: () => open,
    endsAtMs: () => (isBusy(open) ? null : lastUsedMs + idleMs),
  };
}
