import type { Kind } from '../../domain/kind.js';
import type { RowFactsBook } from './row-facts.js';

/** What a plan says of the rows that feed rows. */
export interface Chains {
  /** Groups of rows that hang together. */
  count: number;
  /** Rows in them. */
  rows: number;
  /** Rows that wait for others. */
  fed: number;
  /** The most rows that run one after the other. */
  longest: number;
  /** The kinds of such sequences, each once: what must be rendered one after the other. */
  paths: readonly (readonly Kind[])[];
}

export interface ChainTally {
  /** The row at `index` is fed by those; their chains are known. */
  add(index: number, feeders: readonly number[]): void;
  totals(): Chains;
}

/** Most rows that may run one after the other. */
export const CHAIN_ROWS_MAX = 100;
/** Beyond so many different sequences the time of a batch is not bound by one of them. */
const PATHS_MAX = 10_000;

export function createChainTally(facts: RowFactsBook): ChainTally {
  /** From 1 on: 0 is a row that nothing feeds. */
  const paths: Kind[][] = [[]];
  const numbers = new Map<string, number>();
  const counts = { count: 0, rows: 0, fed: 0, longest: 0 };

  function top(index: number): number {
    let at = index;
    for (let next = facts.chain(at); next !== at; next = facts.chain(at)) {
      facts.setChain(at, facts.chain(next));
      at = next;
    }
    return at;
  }

  function join(index: number, feeder: number): void {
    const [a, b] = [top(index), top(feeder)];
    if (a === b) return;
    facts.setChain(a, b);
    counts.count -= 1;
  }

  /** A row enters as a group of its own, once. */
  function enter(index: number): void {
    if (facts.path(index) !== 0) return;
    facts.setPath(index, pathOf([facts.get(index).kind]));
    counts.count += 1;
    counts.rows += 1;
  }

  function pathOf(kinds: Kind[]): number {
    // Rows of longer ones are refused: to keep the kinds of each would take memory by the square of their number.
    if (kinds.length > CHAIN_ROWS_MAX) return 1;
    const key = kinds.join('|');
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (paths.length > PATHS_MAX) return 1;
    numbers.set(key, paths.length);
    return paths.push(kinds) - 1;
  }

  return {
    add(index, feeders) {
      for (const one of [...feeders, index]) enter(one);
      for (const feeder of feeders) join(index, feeder);
      const longest = feeders.reduce((a, b) => (facts.depth(b) > facts.depth(a) ? b : a));
      facts.setPath(index, pathOf([...(paths[facts.path(longest)] ?? []), facts.get(index).kind]));
      counts.fed += 1;
      counts.longest = Math.max(counts.longest, facts.depth(index));
    },
    totals: () => ({ ...counts, paths: paths.filter(({ length }) => length > 1) }),
  };
}
