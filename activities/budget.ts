import { knownPrices } from '../src/books/credits.js';
import type { KnownPrices } from '../src/books/prices/row-price.js';
import { closeBooks } from '../src/books/readings.js';
import { spentOf } from '../src/books/spent.js';
import type { SpentResult } from '../src/contract/activities.js';
import type { StopReason } from '../src/domain/batch.js';

import { markStopped } from '../src/home/batch-marks.js';
import { dropReruns } from '../src/home/drop-reruns.js';
import { readMeasuredPrices } from '../src/home/learned.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';

/** What a batch's limits, and its end, ask of the books. */
export interface BudgetActivities {
  /** The most that the batch can have cost so far, from the books and the open attempts. */
  readSpent(input: { batch: string }): Promise<SpentResult>;
  /** From here on rows that were never tried count as not started, for this reason. */
  markStopped(input: { batch: string; reason: StopReason }): Promise<void>;
  /** Uses the last reading of the balance, and writes what the account spent since the batch began. */
  closeBooks(input: { batch: string; sinceMs: number }): Promise<void>;
}

export function budgetActivities(deps: Dependencies): BudgetActivities {
  return {
    readSpent: ({ batch }) => withRecords(() => spentOf(deps, batch, () => latestPrices(deps, batch))),
    markStopped: ({ batch, reason }) =>
      withRecords(async () => {
        await markStopped(deps.home, batch, reason, deps.now());
        await dropReruns(deps, batch, deps.now());
      }),
    closeBooks: ({ batch, sinceMs }) => withRecords(() => closeBooks(deps.books, batch, sinceMs)),
  };
}

/** As they stand in the home: what another worker has measured a moment ago may have let a person approve the rest. */
async function latestPrices({ books }: Dependencies, batch: string): Promise<KnownPrices> {
  return { ...(await knownPrices(books, batch)), measured: await readMeasuredPrices(books.home) };
}
