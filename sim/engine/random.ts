/** A seeded source of chance: the same seed and name always give the same sequence. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole, both ends included. */
  int(low: number, high: number): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** A source of its own, so that one part's draws do not shift another's. */
  fork(name: string): Random;
}

export function createRandom(seed: string): Random {
  let state = hashText(seed);
  const next = (): number => {
    // mulberry32: small, fast, and good enough to choose faults.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number): number => low + next() * (high - low);
  return {
    next,
    between,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

/** FNV-1a over the text, 32 bits. */
export function hashText(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
