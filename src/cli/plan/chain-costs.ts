import type { Kind } from '../../domain/kind.js';
import type { CreditsRange } from '../../domain/money.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { newPlanTally, type PlanTally, tallyRow } from './plan-tally.js';

/** What the rows of chains cost that are to be submitted. */
export interface ChainCosts {
  /** Any row: it may be fed by others, which may have been read before. */
  link(row: Row): void;
  /** A row to be submitted, with its list price; null where that is not known. */
  add(row: Pick<Row, 'index' | 'kind'>, price: CreditsRange | null): void;
  /** A row that is not submitted after all. */
  remove(index: number): void;
  total(): PlanTally;
}

/** That a row feeds others is known once those were read: until then four bytes of each row are kept, by its index. */
export function createChainCosts(): ChainCosts {
  /** Each price of a kind once; the rows have its place here. The first place is that of a row that is not submitted. */
  const costs: ({ kind: Kind; price: CreditsRange | null } | undefined)[] = [undefined];
  const places = new Map<string, number>();
  const rows = createNumbers();
  const isInChain: boolean[] = [];

  function placeOf(kind: Kind, price: CreditsRange | null): number {
    const key = `${kind} ${price?.lo} ${price?.hi}`;
    const known = places.get(key) ?? costs.push({ kind, price }) - 1;
    places.set(key, known);
    return known;
  }

  return {
    link(row) {
      for (const { at } of fedMedia(row)) isInChain[at] = isInChain[row.index] = true;
    },
    add: ({ index, kind }, price) => rows.set(index, placeOf(kind, price)),
    remove: (index) => rows.set(index, 0),
    total() {
      const tally = newPlanTally();
      isInChain.forEach((_, index) => {
        const cost = costs[rows.get(index)];
        if (cost !== undefined) tallyRow(tally, { kind: cost.kind }, { plan: 'submit' }, cost.price);
      });
      return tally;
    },
  };
}

const CHUNK = 4_096;

/** A number of each row, 0 where none was set, in pieces: a million rows fit, and nothing is copied as they come. */
function createNumbers() {
  const chunks: Uint32Array[] = [];
  const chunkOf = (index: number): Uint32Array => {
    const at = Math.floor(index / CHUNK);
    chunks[at] ??= new Uint32Array(CHUNK);
    return chunks[at];
  };
  return {
    get: (index: number): number => chunkOf(index)[index % CHUNK] ?? 0,
    set(index: number, value: number): void {
      chunkOf(index)[index % CHUNK] = value;
    },
  };
}
