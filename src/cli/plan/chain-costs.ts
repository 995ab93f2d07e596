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

/** That a row feeds others is known once those were read: until then 24 bytes of each row are kept, by its index. */
export function createChainCosts(): ChainCosts {
  const kinds: (Kind | undefined)[] = [];
  /** NaN where nothing bounds the price. */
  const [low, high]: [number[], number[]] = [[], []];
  const isInChain: boolean[] = [];
  return {
    link(row) {
      for (const { at } of fedMedia(row)) isInChain[at] = isInChain[row.index] = true;
    },
    add({ index, kind }, price) {
      kinds[index] = kind;
      low[index] = price?.lo ?? Number.NaN;
      high[index] = price?.hi ?? Number.NaN;
    },
    remove(index) {
      kinds[index] = undefined;
    },
    total() {
      const tally = newPlanTally();
      for (const [index, kind] of kinds.entries()) {
        if (kind === undefined || !isInChain[index]) continue;
        const [lo = Number.NaN, hi = Number.NaN] = [low[index], high[index]];
        tallyRow(tally, { kind }, { plan: 'submit' }, Number.isNaN(hi) ? null : { lo, hi });
      }
      return tally;
    },
  };
}
