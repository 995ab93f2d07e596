/** How much happened when, in bins of equal length that widen as time goes on: constant memory for any batch. */

const BINS_MAX = 240;
const WIDTH_MIN_MS = 1_000;

export class TimeBins {
  widthMs = WIDTH_MIN_MS;
  #sums: number[] = [];

  /** Instants before `fromMs` count as `fromMs`. */
  constructor(readonly fromMs: number) {}

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
