import type { SpentResult } from '../contract/activities.js';
import { type Attempt, intentOf, isKnownUnbilled, standingOf } from '../domain/attempt.js';
import type { StopReason } from '../domain/limits.js';
import type { CreditsNano } from '../domain/money.js';
import { withFollowUp } from '../reconcile/row-price.js';
import { markStopped } from '../store/batch-marks.js';
import type { ChargeBook } from '../store/charge-book.js';
import type { Ledger } from '../store/ledger.js';
import type { Rows } from '../store/rows.js';
import type { Dependencies } from './dependencies.js';
import { dropReruns } from './drop-reruns.js';
import { withRecords } from './failures.js';

/** What a batch's limits ask of the home. */
export interface BudgetActivities {
  /** The most that the batch can have cost so far, from the books and the open attempts. */
  readSpent(input: { batch: string }): Promise<SpentResult>;
  /** From here on rows that were never tried count as not started, for this reason. */
  markStopped(input: { batch: string; reason: StopReason }): Promise<void>;
}

export function budgetActivities(deps: Dependencies): BudgetActivities {
  return {
    readSpent: ({ batch }) => withRecords(() => spentOf(deps, batch)),
    markStopped: ({ batch, reason }) =>
      withRecords(async () => {
        await markStopped(deps.home, batch, reason, deps.now());
        await dropReruns(deps, batch, deps.now());
      }),
  };
}

/** Every attempt counts with the most that it can have cost; what is known to be unbilled counts nothing. */
export async function spentOf(
  { book, ledger, rows }: { book: ChargeBook; ledger: Ledger; rows: Rows },
  batch: string,
): Promise<SpentResult> {
  const ended = await book.endedOf(batch);
  const spent: SpentResult = { endedNano: ended.upToNano, openNano: 0, unbounded: ended.unbounded };
  for await (const open of ledger.open()) {
    if (open.batch !== batch || ended.attempts.has(`${open.id}.${String(open.n).padStart(4, '0')}.json`)) continue;
    const attempt = await ledger.readAttempt(open);
    if (attempt === undefined || isKnownUnbilled(standingOf(attempt))) continue;
    const upTo = (await mostOf(rows, batch, attempt)) ?? null;
    if (upTo === null) spent.unbounded += 1;
    else spent.openNano += upTo;
  }
  return spent;
}

/** The most that an open attempt can cost in all. */
async function mostOf(rows: Rows, batch: string, attempt: Attempt): Promise<CreditsNano | null | undefined> {
  const intent = intentOf(attempt);
  if (intent?.kind !== 'vendor-a/motion-control') return intent?.expected?.hi;
  const { row } = await rows.readRow(batch, intent.generation, intent.part, intent.index);
  return withFollowUp(row, intent.expected)?.hi;
}
