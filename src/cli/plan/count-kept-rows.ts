import { fedMedia, type Row } from '../../domain/row.js';
import { type Chains, createChainTally } from '../../manifest/references/chains.js';
import { createRowFacts } from '../../manifest/references/row-facts.js';
import { type BatchPlace, rowsOf } from '../access/home-access.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { type CountedRows, createRowCounter, type RowCounterOptions } from './row-counter.js';

/**
 * What running rows of a batch would do, from the rows that the home keeps, with their chains. `isMeant` says which rows
 * are counted.
 */
export async function countKeptRows(
  at: BatchPlace & Pick<KnownBatch, 'generation'>,
  options: RowCounterOptions,
  isMeant: (row: Row) => boolean | Promise<boolean> = () => true,
): Promise<{ rows: CountedRows; chains: Chains }> {
  const counter = await createRowCounter(at, options);
  const left = createChainsLeft();
  for await (const { row } of rowsOf(at.access, at.batch, at.generation)) {
    if (!(await isMeant(row))) continue;
    await counter.add(row);
    left.add(row);
  }
  const rows = await counter.finish();
  return { rows, chains: left.totals(rows.finishedBefore, rows.barren) };
}

/** The chains of rows that the home keeps, as far as their rows are still to be run: they bind the time of the rest. */
interface ChainsLeft {
  /** A row that is counted: what feeds it and was not added is awaited by nobody here. */
  add(row: Row): void;
  /** By the index of a row: there is nothing to do for it, or it is not run since what feeds it brings nothing. */
  totals(finished: readonly boolean[], barren?: ReadonlySet<number>): Chains;
}

export function createChainsLeft(): ChainsLeft {
  const facts = createRowFacts();
  const fed = new Map<number, number[]>();
  const isAdded: boolean[] = [];
  return {
    add(row) {
      isAdded[row.index] = true;
      facts.add(row.index, row);
      const feeders = fedMedia(row).map(({ at }) => at);
      if (feeders.length > 0) fed.set(row.index, feeders);
    },
    totals(finished, barren) {
      const isOver = (index: number): boolean => finished[index] === true || barren?.has(index) === true;
      const tally = createChainTally(facts);
      const entered = new Set<number>();
      const enter = (index: number): void => {
        if (entered.has(index)) return;
        entered.add(index);
        const left = (fed.get(index) ?? []).filter((at) => isAdded[at] && !isOver(at));
        // What feeds has its place before what is fed; no manifest has longer chains than a stack.
        for (const at of left) enter(at);
        if (left.length === 0) return;
        facts.setDepth(index, 1 + Math.max(...left.map((at) => facts.depth(at))));
        tally.add(index, left);
      };
      for (const index of fed.keys()) if (!isOver(index)) enter(index);
      return tally.totals();
    },
  };
}
