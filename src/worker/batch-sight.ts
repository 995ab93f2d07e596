import type { Client } from '@temporalio/client';
import { knownPrices } from '../books/credits.js';
import type { Books } from '../books/open-books.js';
import { spentOf } from '../books/spent.js';
import { batchProgress } from '../contract/messages.js';
import { batchId } from '../contract/names.js';
import type { SemaphoreView } from '../contract/semaphore-view.js';
import type { BatchResult } from '../contract/workflows.js';
import { formatCredits } from '../domain/money.js';
import { sampleInForce } from '../home/batch-marks.js';
import { readBatchOrder } from '../home/batch-order.js';
import type { BatchSeen } from '../notices/derive.js';

const BUDGET_EVERY_MS = 60_000;

/** What Temporal and the home show of batches, as notices ask for it. */
export function createBatchSight(client: Client, books: Books) {
  const { home, now } = books;
  const { account } = books.settings;
  /** By batch: how many rows had ended, and when that was seen first. */
  const progress = new Map<string, { rows: number; atMs: number }>();
  /** Of running batches: their books are read seldom. */
  const budgets = new Map<string, { atMs: number; budget: BatchSeen['budget'] }>();
  return { seenEnd, seenRunning, forgetOthers };

  /** Of batches that do not run any more nothing is remembered. */
  function forgetOthers(running: readonly string[]): void {
    for (const batch of progress.keys()) if (!running.includes(batch)) progress.delete(batch);
    for (const batch of budgets.keys()) if (!running.includes(batch)) budgets.delete(batch);
  }

  async function seenEnd(batch: string, workflowId: string, run: string): Promise<BatchSeen> {
    const result = (await client.workflow.getHandle(workflowId, run).result()) as BatchResult;
    const generation = await books.rows.currentGeneration(batch);
    const gate = generation === undefined ? undefined : await sampleInForce(home, batch, generation);
    const end = { run, isSampled: gate !== undefined, stopped: result.stopped ?? null };
    return { ...commonOf(result, await budgetOf(batch)), pauses: [], quiet: null, end };
  }

  async function seenRunning(batch: string, { pauses }: SemaphoreView): Promise<BatchSeen> {
    const stands = await client.workflow.getHandle(batchId(account, batch)).query(batchProgress);
    const rows = Object.values(stands.counts).reduce((sum, count) => sum + count, 0);
    const before = progress.get(batch);
    const since = before?.rows === rows ? before : { rows, atMs: now() };
    progress.set(batch, since);
    return {
      ...commonOf(stands, await seldomBudgetOf(batch)),
      pauses: pauses.filter((pause) => pause.batch === undefined || pause.batch === batch),
      quiet: { forMs: now() - since.atMs, sinceMs: since.atMs, longestMs: longestMs() },
      end: null,
    };
  }

  /** No row of a batch that does anything takes longer to end. */
  function longestMs(): number {
    const { waits, timeScale } = books.settings;
    return Math.max(waits.syncMaxMs, ...Object.values(waits.renderMaxMs)) / timeScale;
  }

  async function seldomBudgetOf(batch: string): Promise<BatchSeen['budget']> {
    const known = budgets.get(batch);
    if (known !== undefined && now() - known.atMs < BUDGET_EVERY_MS / books.settings.timeScale) return known.budget;
    const budget = await budgetOf(batch);
    budgets.set(batch, { atMs: now(), budget });
    return budget;
  }

  async function budgetOf(batch: string): Promise<BatchSeen['budget']> {
    const maxNano = (await readBatchOrder(home, batch))?.limits.maxCreditsNano ?? null;
    if (maxNano === null) return null;
    const spent = await spentOf(books, batch, () => knownPrices(books, batch));
    // What nobody can bound has no share of a budget.
    return spent.unbounded > 0 ? null : { spentNano: spent.endedNano, maxNano };
  }
}

function commonOf(
  { counts, creditsNano, creditsUnknown }: Pick<BatchResult, 'counts' | 'creditsNano' | 'creditsUnknown'>,
  budget: BatchSeen['budget'],
): Pick<BatchSeen, 'counts' | 'credits' | 'budget'> {
  return { counts, credits: creditsUnknown > 0 ? null : formatCredits(creditsNano), budget };
}
