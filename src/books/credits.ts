import type { Attempt } from '../domain/attempt.js';
import type { CreditsNano, CreditsRange } from '../domain/money.js';
import type { RowRecord } from '../domain/outcome.js';
import { fedMedia, type Media, type Row } from '../domain/row.js';
import { intentOf, isKnownUnbilled, standingOf } from '../domain/standing.js';
import { resultState } from '../home/attempts.js';
import { readBatchOrder } from '../home/batch-order.js';
import { fedRow, feedersThen } from '../home/feeders.js';
import { longestRenderMs } from '../kinds/expected.js';
import { adapterFor } from '../kinds/index.js';
import type { Books } from './open-books.js';
import { type BilledFacts, LIST_PRICE_PPB, widest } from './prices/price-book.js';
import { hasFollowUp, type KnownPrices, rowPrice, withFollowUp } from './prices/row-price.js';

/** What rows cost by the prices and the discounts that the account knows; null wherever that is unknown. */

/**
 * What a row of a batch will cost if it is submitted at a time: by the configured prices, else by what was measured, with
 * every discount that may hold until it is charged. `overAtMs`: when its call was over, from which a late job counts.
 */
export function expectedCredits(
  books: Books,
  batch: string,
  row: Row,
  submitAtMs: number = books.now(),
  overAtMs: number = submitAtMs,
): Promise<CreditsRange | null> {
  const { waits, timeScale } = books.settings;
  const longestMs = waits.thetaMs + longestRenderMs(row, waits).ms;
  return actualCredits(books, batch, row, {}, { fromMs: submitAtMs, toMs: overAtMs + longestMs / timeScale });
}

/** The most that a row can cost in all if it is submitted now; null when nothing bounds it. */
export async function upperCredits(books: Books, batch: string, row: Row): Promise<CreditsNano | null> {
  return withFollowUp(row, await expectedCredits(books, batch, row))?.hi ?? null;
}

/** What a row cost, by what its result tells and the discounts between its claim and its end. */
export async function actualCredits(
  books: Books,
  batch: string,
  row: Row,
  facts: BilledFacts,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<CreditsRange | null> {
  const prices = await knownPrices(books, batch);
  const multipliers = await books.discounts.multipliers(adapterFor(row.kind), fromMs, toMs);
  return multipliers.map((ppb) => rowPrice(row, prices, ppb, facts)).reduce(widest);
}

/** What a row costs without a discount. */
export async function listCredits(
  books: Books,
  batch: string,
  row: Row,
  facts: BilledFacts = {},
): Promise<CreditsRange | null> {
  return rowPrice(row, await knownPrices(books, batch), LIST_PRICE_PPB, facts);
}

/** Those that the batch was run with, or the account's. */
export async function knownPrices({ home, settings, learned }: Books, batch: string): Promise<KnownPrices> {
  const order = await readBatchOrder(home, batch);
  return { configured: order?.prices ?? settings.prices, measured: await learned.prices() };
}

/**
 * What a row cost over all its attempts: a row that was changed, or paid again, was billed more than once. Unknown as
 * soon as one of them is; known unbilled attempts cost 0.
 */
export async function creditsOf(
  books: Books,
  row: Row,
  batch: string,
  attempts: Attempt[],
): Promise<Pick<RowRecord, 'creditsNano' | 'creditsBasis'>> {
  let sumNano = 0;
  for (const attempt of attempts) {
    const cost = await costOf(books, row, batch, attempt);
    if (!isExact(cost)) return { creditsBasis: 'unknown' };
    sumNano += cost.lo;
  }
  // Beyond all money: some quantity in an answer was absurd.
  if (!Number.isSafeInteger(sumNano)) return { creditsBasis: 'unknown' };
  return { creditsNano: sumNano, creditsBasis: 'price-book' };
}

function isExact(cost: CreditsRange | null): cost is { lo: CreditsNano; hi: CreditsNano } {
  return cost !== null && cost.lo === cost.hi;
}

async function costOf(books: Books, now: Row, batch: string, attempt: Attempt): Promise<CreditsRange | null> {
  const standing = standingOf(attempt);
  if (isKnownUnbilled(standing)) return { lo: 0, hi: 0 };
  const result = resultState(attempt);
  const intent = intentOf(attempt);
  if (result) {
    const row = await rowThen(books, now, batch, attempt);
    const between = { fromMs: intent?.atMs ?? result.atMs, toMs: result.atMs };
    const priced = withFollowUp(row, await actualCredits(books, batch, row, result.facts, between));
    // What fed it is not known any more: the price that was made of the file itself at the claim holds.
    const isUnfed = fedMedia(row).length > 0 && !hasFollowUp(row.kind);
    const cost = isUnfed && !isExact(priced) ? (intent?.expected ?? priced) : priced;
    return cost && result.facts.mayBeUnbilled ? { ...cost, lo: 0 } : cost;
  }
  if (intent === undefined || !wasBilled(attempt)) return null;
  // A bill that the balance showed may be followed by another one as well.
  return hasFollowUp(intent.kind)
    ? withFollowUp(await rowThen(books, now, batch, attempt), intent.expected)
    : intent.expected;
}

/** The row as it was when the attempt was made, with what fed it then: a changed row has another price now. */
async function rowThen(books: Books, now: Row, batch: string, attempt: Attempt): Promise<Row> {
  const intent = intentOf(attempt);
  if (intent === undefined) return now;
  const { generation, part, index, inputs = [] } = intent;
  const bytes = new Set(Object.values(now.media).flatMap((list) => list.map((one) => blobOf(one))));
  if (intent.rowHash === now.hash && inputs.every(({ sha256 }) => bytes.has(sha256))) return now;
  const { row } = await books.rows.readRow(batch, generation, part, index);
  return fedRow(row, await feedersThen(books, { batch, generation }, row, intent.inputs));
}

function blobOf(media: Media): string | undefined {
  return media.source === 'blob' ? media.sha256 : undefined;
}

/** Settled as billed, also where a further attempt was made all the same. */
function wasBilled({ states }: Attempt): boolean {
  return states.some(
    (state) =>
      (state.state === 'verdict' && state.verdict === 'billed') ||
      (state.state === 'ruled' && state.ruling === 'billed'),
  );
}
