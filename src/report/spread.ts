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
