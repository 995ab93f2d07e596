/** The emulator's time: one clock, and a scheduler that runs due work in the exact order of its due times. */

/** Reads the time and turns service seconds (render times, lifetimes, balance lag) into real milliseconds. */
export interface Clock {
  readonly speed: number;
  /** Unix time in milliseconds, with fractions; it never goes backwards while the process lives. */
  nowMs(): number;
  /** Real milliseconds that `seconds` of the service last at this speed. */
  serviceMs(seconds: number): number;
}

export function createClock(speed: number): Clock {
  return {
    speed,
    nowMs: () => performance.timeOrigin + performance.now(),
    serviceMs: (seconds) => (seconds * 1000) / speed,
  };
}

/** Work that is done at a given instant; `run` receives the instant it was due, not the one at which it ran. */
export interface Scheduler {
  at(dueMs: number, run: (dueMs: number) => void): void;
  /** Runs everything due by now. Called before each request, so that no answer depends on how late a timer fires. */
  runDue(): void;
  stop(): void;
}

/** Waits for an instant in the scheduler's order. */
export function until(scheduler: Scheduler, dueMs: number): Promise<void> {
  return new Promise((resolve) => scheduler.at(dueMs, () => resolve()));
}

interface Entry {
  dueMs: number;
  order: number;
  run: (dueMs: number) => void;
}

// setTimeout takes at most 2^31 - 1 ms; later work is looked at again when this long a wait ends.
const TIMER_MAX_MS = 2_000_000_000;

export function createScheduler(clock: Clock): Scheduler {
  const heap: Entry[] = [];
  let orderNext = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const runDue = (): void => {
    for (let first = heap[0]; first !== undefined && first.dueMs <= clock.nowMs(); first = heap[0]) {
      popFirst(heap);
      first.run(first.dueMs);
    }
  };
  const arm = (): void => {
    clearTimeout(timer);
    const first = heap[0];
    if (first === undefined || stopped) return;
    const waitMs = Math.min(Math.max(Math.ceil(first.dueMs - clock.nowMs()), 0), TIMER_MAX_MS);
    timer = setTimeout(() => {
      runDue();
      arm();
    }, waitMs);
    // A waiting render must not keep a process alive whose server is closed.
    timer.unref();
  };

  return {
    at(dueMs, run) {
      if (stopped) return;
      const entry: Entry = { dueMs, order: orderNext, run };
      orderNext += 1;
      pushEntry(heap, entry);
      if (heap[0] === entry) arm();
    },
    runDue,
    stop() {
      stopped = true;
      clearTimeout(timer);
      heap.length = 0;
    },
  };
}

function comesBefore(a: Entry, b: Entry): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

function pushEntry(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || !comesBefore(entry, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = entry;
}

function popFirst(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let childIndex = 2 * index + 1;
    let child = heap[childIndex];
    const right = heap[childIndex + 1];
    if (child === undefined) break;
    if (right !== undefined && comesBefore(right, child)) {
      childIndex += 1;
      child = right;
    }
    if (!comesBefore(child, last)) break;
    heap[index] = child;
    index = childIndex;
  }
  heap[index] = last;
}
