import type { RowRecord, Status } from '../domain/outcome.js';

/** How much happened when, in bins of equal length that widen as time goes on: constant memory for any batch. */

const BINS_MAX = 240;
const WIDTH_MIN_MS = 1_000;

export class TimeBins {
  #sums: number[] = [];

  /** Instants before `fromMs` count as `fromMs`; no bin is narrower than `widthMs`. */
  constructor(
    readonly fromMs: number,
    public widthMs = WIDTH_MIN_MS,
  ) {}

  /** Adds `amount` at an instant. */
  add(atMs: number, amount: number): void {
    const after = Math.max(0, atMs - this.fromMs);
    this.#reach(after);
    const bin = Math.floor(after / this.widthMs);
    this.#sums[bin] = (this.#sums[bin] ?? 0) + amount;
  }

  /** Adds the milliseconds of a span to the bins that it lies in. */
  addSpan(startMs: number, endMs: number): void {
    const start = Math.max(0, startMs - this.fromMs);
    const end = Math.max(start, endMs - this.fromMs);
    this.#reach(end);
    for (let bin = Math.floor(start / this.widthMs); bin * this.widthMs < end; bin += 1) {
      const inside = Math.min(end, (bin + 1) * this.widthMs) - Math.max(start, bin * this.widthMs);
      this.#sums[bin] = (this.#sums[bin] ?? 0) + inside;
    }
  }

  /** The sum of each bin, from the first to the last in which anything happened. */
  sums(): number[] {
    return Array.from({ length: this.#sums.length }, (_, bin) => this.#sums[bin] ?? 0);
  }

  /** Widens the bins until an instant, ms after the first, has one. */
  #reach(afterMs: number): void {
    while (afterMs >= this.widthMs * BINS_MAX) {
      const old = this.sums();
      this.#sums = [];
      for (let bin = 0; bin < old.length; bin += 2) this.#sums.push((old[bin] ?? 0) + (old[bin + 1] ?? 0));
      this.widthMs *= 2;
    }
  }
}

/** Keeps a bounded number of items, spread evenly over all that come. */
export class Spread<T> {
  #kept: T[] = [];
  #step = 1;
  #seen = 0;

  constructor(readonly max: number) {}

  add(item: T): void {
    if (this.#seen % this.#step === 0) this.#kept.push(item);
    this.#seen += 1;
    if (this.#kept.length < this.max * 2) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#step *= 2;
  }

  /** In the order in which they came. */
  items(): T[] {
    if (this.#kept.length <= this.max) return this.#kept;
    return Array.from({ length: this.max }, (_, i) => this.#kept[Math.floor((i * this.#kept.length) / this.max)] as T);
  }
}

/** Equal row errors as one line: how many, what, and some of the ids. Pure. */
export interface FailureGroup {
  status: Status;
  reasonCode: string | undefined;
  /** The provider's words of the first row. */
  reason: string | undefined;
  count: number;
  ids: string[];
}

const IDS_SHOWN = 3;
const GROUPS_MAX = 200;

export interface FailureGroups {
  add(
    record: Pick<RowRecord, 'id' | 'status'> & { reasonCode?: string | undefined; reason?: string | undefined },
  ): void;
  /** The largest last, so that it stands nearest to the prompt. */
  groups(): FailureGroup[];
}

export function groupFailures(): FailureGroups {
  const groups = new Map<string, FailureGroup>();
  return {
    add: ({ id, status, reasonCode, reason }) => {
      // Which row feeds it is no other failure: the words of such a row only name that one.
      const words = reasonCode?.startsWith('upstream_') ? '' : shapeOf(reason);
      const exact = `${status} ${reasonCode ?? ''} ${words}`;
      // A provider that says something new for each row must not fill the screen or the memory.
      const key = groups.has(exact) || groups.size < GROUPS_MAX ? exact : `${status} ${reasonCode ?? ''}`;
      const group = groups.get(key) ?? { status, reasonCode, reason, count: 0, ids: [] };
      group.count += 1;
      if (group.ids.length < IDS_SHOWN) group.ids.push(id);
      groups.set(key, group);
    },
    groups: () => [...groups.values()].sort((a, b) => a.count - b.count),
  };
}

/** Numbers and ids in a message do not make it another message. */
function shapeOf(reason: string | undefined): string {
  return (reason ?? '').replace(/[0-9a-f-]{8,}|\d+/gi, '#').slice(0, 200);
}
