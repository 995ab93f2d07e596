/** The emulator's time, which is handed in: a clock, and a scheduler that runs due work in the exact order of its due times. */

/** Where the time comes from: the machine, or a simulation. */
export interface Time {
  /** Unix time in milliseconds, with fractions; it never goes backwards. */
  nowMs(): number;
  /** Calls back once so much time has passed; gives back what calls it off. */
  after(delayMs: number, work: () => void): () => void;
}

/** Reads the time and turns service seconds (render times, lifetimes, balance lag) into real milliseconds. */
export interface Clock {
  readonly speed: number;
  nowMs(): number;
  /** Real milliseconds that `seconds` of the service last at this speed. */
  serviceMs(seconds: number): number;
}

export function createClock({ nowMs }: Time, speed: number): Clock {
  return { speed, nowMs, serviceMs: (seconds) => (seconds * 1000) / speed };
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

interface Entry extends Due {
  run: (dueMs: number) => void;
}

export function createScheduler({ nowMs, after }: Time): Scheduler {
  const heap: Entry[] = [];
  let orderNext = 0;
  let disarm = (): void => undefined;
  let stopped = false;

  const runDue = (): void => {
    for (let first = heap[0]; first !== undefined && first.dueMs <= nowMs(); first = heap[0]) {
      popFirst(heap);
      first.run(first.dueMs);
    }
  };
  const arm = (): void => {
    disarm();
    const first = heap[0];
    if (first === undefined || stopped) return;
    disarm = after(Math.max(Math.ceil(first.dueMs - nowMs()), 0), () => {
      runDue();
      arm();
    });
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
      disarm();
      heap.length = 0;
    },
  };
}

/** An entry of a heap: by its time, and of one time in the order of entering. */
export interface Due {
  dueMs: number;
  order: number;
}

function comesBefore(a: Due, b: Due): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

export function pushEntry<Entry extends Due>(heap: Entry[], entry: Entry): void {
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

/** Takes the first entry, `heap[0]`, away. */
export function popFirst<Entry extends Due>(heap: Entry[]): void {
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
