import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { knownPrices } from '../books/credits.js';
import type { Books } from '../books/open-books.js';
import { spentOf } from '../books/spent.js';
import { batchProgress } from '../contract/messages.js';
import { batchId } from '../contract/names.js';
import type { SemaphoreView } from '../contract/semaphore-view.js';
import type { BatchResult } from '../contract/workflows.js';
import { formatCredits } from '../domain/money.js';
import { isCancelledBatch, sampleInForce } from '../home/batch-marks.js';
import { readBatchOrder } from '../home/batch-order.js';
import { type RowsForPerson, rowsForPerson } from '../home/rows-for-person.js';
import type { BatchSeen } from '../notices/derive.js';

const ORDER_EVERY_MS = 60_000;
/** The rows that need a person are looked for so seldom, and for a small part of the time: a batch may have a million. */
const PERSON_EVERY_MS = 5 * 60_000;
const PERSON_PART = 20;

/** What was ordered of a batch, with what it spent of it. */
interface Ordered {
  budget: BatchSeen['budget'];
  isPaused: boolean;
}

/** Rows that need a person as they were found last, and by which counts of the run. */
interface FoundForPerson {
  found: RowsForPerson;
  counted: string;
  isOld: boolean;
  nextMs: number;
}

/** What Temporal and the home show of batches, as notices ask for it. */
export function createBatchSight(client: Client, books: Books) {
  const { home, now } = books;
  const { account } = books.settings;
  const openedMs = now();
  /** Of running batches: what is read seldom. */
  const orders = new Map<string, { atMs: number; ordered: Ordered }>();
  const persons = new Map<string, FoundForPerson>();
  return { seenEnd, seenRunning, forgetOthers };

  /** Of batches that do not run any more nothing is remembered. */
  function forgetOthers(running: readonly string[]): void {
    for (const known of [orders, persons]) {
      for (const batch of known.keys()) if (!running.includes(batch)) known.delete(batch);
    }
  }

  async function seenEnd(batch: string, workflowId: string, run: string): Promise<BatchSeen> {
    const result = (await client.workflow.getHandle(workflowId, run).result()) as BatchResult;
    const { budget } = await orderedOf(batch);
    const forPerson = await foundForPerson(batch, { isRunning: false, isNone: countedOf(result.counts) === '0/0' });
    const end = { run, sample: await waitingSample(batch), stopped: result.stopped ?? null };
    return { ...commonOf(result), budget, pauses: [], forPerson, progress: null, end };
  }

  /** The same name for the same rows of the same manifest; null where no rest waits for approval, as after a cancel. */
  async function waitingSample(batch: string): Promise<string | null> {
    if (await isCancelledBatch(home, batch)) return null;
    const generation = await books.rows.currentGeneration(batch);
    const ids = generation && (await sampleInForce(home, batch, generation));
    if (!ids) return null;
    const rows = JSON.stringify([generation, ...[...ids].sort()]);
    return createHash('sha256').update(rows).digest('hex').slice(0, 16);
  }

  async function seenRunning(batch: string, slots: SemaphoreView): Promise<BatchSeen> {
    const stands = await client.workflow.getHandle(batchId(account, batch)).query(batchProgress);
    const { budget, isPaused } = await seldomOrderedOf(batch);
    const pauses = slots.pauses.filter((pause) => pause.batch === undefined || pause.batch === batch);
    const progress = {
      rows: Object.values(stands.counts).reduce((sum, count) => sum + count, 0),
      startedAtMs: stands.startedAtMs,
      isHeld: pauses.length > 0 || isPaused || stands.phase !== 'running',
      longestMs: longestMs(),
      servedMs: now() - openedMs,
    };
    const forPerson = await seldomForPerson(batch, countedOf(stands.counts));
    return { ...commonOf(stands), budget, pauses, forPerson, progress, end: null };
  }

  /** No row of a batch that does anything takes longer to end. */
  function longestMs(): number {
    const { waits, timeScale } = books.settings;
    return Math.max(waits.syncMaxMs, ...Object.values(waits.renderMaxMs)) / timeScale;
  }

  async function seldomOrderedOf(batch: string): Promise<Ordered> {
    const known = orders.get(batch);
    if (known !== undefined && now() - known.atMs < ORDER_EVERY_MS / books.settings.timeScale) return known.ordered;
    const ordered = await orderedOf(batch);
    orders.set(batch, { atMs: now(), ordered });
    return ordered;
  }

  async function orderedOf(batch: string): Promise<Ordered> {
    const { limits, isPaused = false, isDamaged } = (await readBatchOrder(home, batch)) ?? {};
    const maxNano = isDamaged ? null : (limits?.maxCreditsNano ?? null);
    if (maxNano === null) return { budget: null, isPaused };
    const spent = await spentOf(books, batch, () => knownPrices(books, batch));
    // What nobody can bound has no share of a budget.
    return { budget: spent.unbounded > 0 ? null : { spentNano: spent.endedNano, maxNano }, isPaused };
  }

  /** Only where the counts of the run were others since: those of a new run begin at nothing, and say little by themselves. */
  async function seldomForPerson(batch: string, counted: string): Promise<RowsForPerson | null> {
    const known = persons.get(batch);
    if (known === undefined && counted === '0/0') return null;
    const isOld = known === undefined || known.isOld || known.counted !== counted;
    const beganMs = now();
    if (known !== undefined && (!isOld || beganMs < known.nextMs)) {
      persons.set(batch, { ...known, counted, isOld });
      return known.found;
    }
    const found = await foundForPerson(batch, { isRunning: true, isNone: false });
    if (found === null) return null;
    const waitMs = Math.max(PERSON_EVERY_MS / books.settings.timeScale, PERSON_PART * (now() - beganMs));
    persons.set(batch, { found, counted, isOld: false, nextMs: now() + waitMs });
    return found;
  }

  async function foundForPerson(
    batch: string,
    { isRunning, isNone }: { isRunning: boolean; isNone: boolean },
  ): Promise<RowsForPerson | null> {
    if (isNone) return { counts: { review: 0, lost_paid: 0 }, latestMs: 0 };
    const generation = await books.rows.currentGeneration(batch);
    return generation === undefined ? null : rowsForPerson(books, batch, generation, { isRunning });
  }

  function commonOf({
    counts,
    creditsNano,
    creditsUnknown,
  }: Pick<BatchResult, 'counts' | 'creditsNano' | 'creditsUnknown'>) {
    const credits = creditsUnknown > 0 ? null : formatCredits(creditsNano);
    return { atMs: now(), timeScale: books.settings.timeScale, counts, credits };
  }
}

/** The counts of a run that change where a row begins to need a person or does not any more. */
function countedOf({ review, lost_paid }: BatchResult['counts']): string {
  return `${review}/${lost_paid}`;
}
