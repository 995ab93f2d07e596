import { LIST_PRICE_PPB } from '../src/books/prices/price-book.js';
import { followUpNano, hasFollowUp, type KnownPrices, rowPrice, withFollowUp } from '../src/books/prices/row-price.js';
import type { SpentResult } from '../src/contract/activities.js';
import type { Attempt, AttemptRef, Intent } from '../src/domain/attempt.js';
import type { StopReason } from '../src/domain/batch.js';
import type { CreditsNano } from '../src/domain/money.js';
import type { Row } from '../src/domain/row.js';
import { intentOf, isKnownUnbilled, standingOf } from '../src/domain/standing.js';

import { markStopped } from '../src/home/batch-marks.js';
import type { BookedAttempt, ChargeBook } from '../src/home/charge-book.js';
import { readMeasuredPrices } from '../src/home/learned.js';
import type { Ledger } from '../src/home/ledger.js';
import type { Rows } from '../src/home/rows.js';
import { StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';
import { dropReruns } from './drop-reruns.js';
import { withRecords } from './failures.js';
import { knownPrices } from './prices.js';
import { resultState } from './row-credits.js';

/** What a batch's limits ask of the home. */
export interface BudgetActivities {
  /** The most that the batch can have cost so far, from the books and the open attempts. */
  readSpent(input: { batch: string }): Promise<SpentResult>;
  /** From here on rows that were never tried count as not started, for this reason. */
  markStopped(input: { batch: string; reason: StopReason }): Promise<void>;
}

export function budgetActivities(deps: Dependencies): BudgetActivities {
  return {
    readSpent: ({ batch }) => withRecords(() => spentOf(deps, batch, () => latestPrices(deps, batch))),
    markStopped: ({ batch, reason }) =>
      withRecords(async () => {
        await markStopped(deps.home, batch, reason, deps.now());
        await dropReruns(deps, batch, deps.now());
      }),
  };
}

/** As they stand in the home: what another worker has measured a moment ago may have let a person approve the rest. */
async function latestPrices(deps: Dependencies, batch: string): Promise<KnownPrices> {
  return { ...(await knownPrices(deps, batch)), measured: await readMeasuredPrices(deps.home) };
}

type SpentRecords = { book: ChargeBook; ledger: Ledger; rows: Rows };
type PricesNow = () => Promise<KnownPrices>;

/**
 * Every attempt counts with the most that it can have cost; what is known to be unbilled counts nothing. One whose price
 * nobody knew when it was claimed or entered has the price of today: a rule that was given since, or what was measured.
 */
export async function spentOf(records: SpentRecords, batch: string, pricesNow: PricesNow): Promise<SpentResult> {
  const { book, ledger } = records;
  const ended = await book.endedOf(batch);
  const spent: SpentResult = { endedNano: ended.upToNano, openNano: 0, unbounded: 0 };
  const prices = onFirstUse(pricesNow);
  for (const entry of ended.unbounded) {
    const upTo = await mostOfEnded(records, entry, prices);
    if (upTo === null) spent.unbounded += 1;
    else spent.endedNano += upTo;
  }
  for await (const open of ledger.open()) {
    if (open.batch !== batch || ended.attempts.has(`${open.id}.${String(open.n).padStart(4, '0')}.json`)) continue;
    const attempt = await ledger.readAttempt(open);
    if (attempt === undefined || isKnownUnbilled(standingOf(attempt))) continue;
    const upTo = await mostOfOpen(records, open, attempt, prices);
    if (upTo === null) spent.unbounded += 1;
    else spent.openNano += upTo;
  }
  return spent;
}

/** The most that an open attempt can cost in all. */
async function mostOfOpen(
  { rows }: SpentRecords,
  { batch }: AttemptRef,
  attempt: Attempt,
  prices: PricesNow,
): Promise<CreditsNano | null> {
  const intent = intentOf(attempt);
  if (intent === undefined) return null;
  const expected = intent.expected?.hi ?? null;
  if (expected !== null && !hasFollowUp(intent.kind)) return expected;
  const row = await legibleRow(rows, batch, intent);
  if (row === undefined) return null;
  const cost = expected === null ? rowPrice(row, await prices(), LIST_PRICE_PPB) : intent.expected;
  return withFollowUp(row, cost ?? null)?.hi ?? null;
}

/** What an ended attempt without a known price cost by the prices of today; a discount may have made it less. */
async function mostOfEnded(
  { ledger, rows }: SpentRecords,
  entry: BookedAttempt,
  prices: PricesNow,
): Promise<CreditsNano | null> {
  const attempt = await ledger.readAttempt(entry);
  const intent = attempt && intentOf(attempt);
  if (attempt === undefined || intent === undefined) return null;
  const row = await legibleRow(rows, entry.batch, intent);
  if (row === undefined) return null;
  const cost = rowPrice(row, await prices(), LIST_PRICE_PPB, resultState(attempt)?.facts);
  return entry.end === 'follow_up' ? followUpNano(row, cost) : (cost?.hi ?? null);
}

/** Undefined where its line is damaged: nobody can price it, and waiting mends nothing. */
async function legibleRow(rows: Rows, batch: string, { generation, part, index }: Intent): Promise<Row | undefined> {
  try {
    return (await rows.readRow(batch, generation, part, index)).row;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'DAMAGED') return undefined;
    throw error;
  }
}

function onFirstUse(read: PricesNow): PricesNow {
  let known: Promise<KnownPrices> | undefined;
  return () => {
    known ??= read();
    return known;
  };
}
