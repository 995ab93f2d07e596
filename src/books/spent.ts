import type { SpentResult } from '../contract/pages.js';
import type { Attempt, AttemptRef, Intent } from '../domain/attempt.js';
import type { CreditsNano } from '../domain/money.js';
import type { Row } from '../domain/row.js';
import { intentOf, isKnownUnbilled, standingOf } from '../domain/standing.js';
import type { AccountRecords } from '../home/account-records.js';
import { resultState } from '../home/attempts.js';
import type { BookedAttempt } from '../home/charge-book.js';
import { fedRow, feedersThen } from '../home/feeders.js';
import { unlessIllegible } from './attempt-price.js';
import { LIST_PRICE_PPB } from './prices/price-book.js';
import { followUpNano, hasFollowUp, type KnownPrices, rowPrice, withFollowUp } from './prices/row-price.js';

/** The most that a batch can have cost so far, by the books and the open attempts. */

type SpentRecords = Pick<AccountRecords, 'book' | 'ledger' | 'rows' | 'records'>;
type PricesNow = () => Promise<KnownPrices>;

/**
 * Every attempt counts with the most that it can have cost; what is known to be unbilled counts nothing. One whose price
 * nobody knew when it was claimed or entered has the price of today: a rule that was given since, or what was measured.
 */
export async function spentOf(records: SpentRecords, batch: string, pricesNow: PricesNow): Promise<SpentResult> {
  const { book, ledger } = records;
  // The index before the book: an attempt that ends meanwhile is then seen in both, never in neither.
  const listed: AttemptRef[] = [];
  for await (const open of ledger.open()) if (open.batch === batch) listed.push(open);
  const ended = await book.endedOf(batch);
  const spent: SpentResult = { endedNano: ended.upToNano, openNano: 0, unbounded: 0 };
  const prices = onFirstUse(pricesNow);
  const unbounded = [...ended.unbounded];
  for (const entry of ended.judged) {
    const attempt = await ledger.readAttempt(entry);
    if (attempt !== undefined && isKnownUnbilled(standingOf(attempt))) continue;
    if (entry.hi === null) unbounded.push(entry);
    else spent.endedNano += entry.hi;
  }
  for (const entry of unbounded) {
    const upTo = await mostOfEnded(records, entry, prices);
    if (upTo === null) spent.unbounded += 1;
    else spent.endedNano += upTo;
  }
  for (const open of listed) {
    if (ended.has(open)) continue;
    const attempt = await ledger.readAttempt(open);
    if (attempt === undefined || isKnownUnbilled(standingOf(attempt))) continue;
    const upTo = await mostOfOpen(records, open, attempt, prices);
    if (upTo === null) spent.unbounded += 1;
    else spent.openNano += upTo;
  }
  return spent;
}

/** The most that an open attempt can cost in all. */
export async function mostOfOpen(
  records: SpentRecords,
  { batch }: AttemptRef,
  attempt: Attempt,
  prices: PricesNow,
): Promise<CreditsNano | null> {
  const intent = intentOf(attempt);
  if (intent === undefined) return null;
  const expected = intent.expected?.hi ?? null;
  if (expected !== null && !hasFollowUp(intent.kind)) return expected;
  const row = await legibleRow(records, batch, intent);
  if (row === undefined) return null;
  const cost = expected === null ? rowPrice(row, await prices(), LIST_PRICE_PPB) : intent.expected;
  return withFollowUp(row, cost ?? null)?.hi ?? null;
}

/** What an ended attempt without a known price cost by the prices of today; a discount may have made it less. */
async function mostOfEnded(
  records: SpentRecords,
  entry: BookedAttempt,
  prices: PricesNow,
): Promise<CreditsNano | null> {
  const attempt = await records.ledger.readAttempt(entry);
  const intent = attempt && intentOf(attempt);
  if (attempt === undefined || intent === undefined) return null;
  const row = await legibleRow(records, entry.batch, intent);
  if (row === undefined) return null;
  const cost = rowPrice(row, await prices(), LIST_PRICE_PPB, resultState(attempt)?.facts);
  return entry.end === 'follow_up' ? followUpNano(row, cost) : (cost?.hi ?? null);
}

/** With what fed it. Undefined where its line is damaged: nobody can price it, and waiting mends nothing. */
function legibleRow(
  sources: SpentRecords,
  batch: string,
  { generation, part, index, inputs }: Intent,
): Promise<Row | undefined> {
  return unlessIllegible(async () => {
    const { row } = await sources.rows.readRow(batch, generation, part, index);
    return fedRow(row, await feedersThen(sources, { batch, generation }, row, inputs));
  });
}

function onFirstUse(read: PricesNow): PricesNow {
  let known: Promise<KnownPrices> | undefined;
  return () => {
    known ??= read();
    return known;
  };
}
