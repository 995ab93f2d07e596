import { defined } from '../../domain/defined.js';
import type { CreditsRange } from '../../domain/money.js';
import { fedMedia, type Row } from '../../domain/row.js';
import type { ChainCosts } from './chain-costs.js';
import { type PlanTally, type RowPlan, tallyUnfed } from './plan-tally.js';

/** Rows that are not run since what feeds them has ended without an output and is not run again. */
export interface UnfedRows {
  /** Any row, in any order. */
  add(row: Row, plan: RowPlan, price: CreditsRange | null): void;
  /**
   * Takes their cost out of what is to be run; they have not ended, and wait for another order. Gives the rows that bring
   * nothing, by index: these and those that ended so.
   */
  leave(tally: PlanTally, chainCosts: ChainCosts): ReadonlySet<number>;
}

interface FedRow extends Pick<Row, 'index' | 'kind' | 'group'> {
  price: CreditsRange | null;
  feeders: readonly number[];
}

export function createUnfedRows(): UnfedRows {
  /** By index: they bring nothing. */
  const barren = new Set<number>();
  let fed: FedRow[] = [];
  return {
    add(row, plan, price) {
      const isOver = plan.plan === 'finished' && plan.status !== 'done' && plan.status !== 'skipped';
      if (isOver) barren.add(row.index);
      if (plan.plan !== 'submit') return;
      const feeders = fedMedia(row).map(({ at }) => at);
      const { index, kind, group } = row;
      if (feeders.length > 0) fed.push({ index, kind, ...defined({ group }), price, feeders });
    },
    leave(tally, chainCosts) {
      // Once more for each row that stands before what feeds it.
      for (let before = -1; before !== barren.size; ) {
        before = barren.size;
        fed = fed.filter((row) => {
          if (!row.feeders.some((at) => barren.has(at))) return true;
          barren.add(row.index);
          tallyUnfed(tally, row, row.price);
          chainCosts.remove(row.index);
          return false;
        });
      }
      return barren;
    },
  };
}
