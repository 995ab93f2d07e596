import { LIST_PRICE_PPB, widest as wider } from '../src/books/prices/price-book.js';
import { type KnownPrices, rowPrice, withFollowUp } from '../src/books/prices/row-price.js';
import type { ResultFacts } from '../src/domain/exchange.js';
import type { CreditsNano, CreditsRange } from '../src/domain/money.js';
import type { Row } from '../src/domain/row.js';
import { readBatchOrder } from '../src/home/batch-order.js';
import type { Adapter } from '../src/kinds/adapter.js';
import { longestRenderMs } from '../src/kinds/expected.js';

import type { Dependencies } from './dependencies.js';
import { multipliersOf } from './discounts.js';
import { measuredPrices } from './learned.js';

export { withFollowUp } from '../src/books/prices/row-price.js';

type Facts = Pick<ResultFacts, 'billedSeconds' | 'billedTokens'>;

/**
 * What a row of a batch will cost if it is submitted at a time: by the configured prices, else by what was measured, with every
 * discount that may hold until it is charged; null when unknown.
 */
export async function expectedCredits(
  deps: Dependencies,
  batch: string,
  row: Row,
  adapter: Adapter,
  submitAtMs: number = deps.now(),
): Promise<CreditsRange | null> {
  const { waits, timeScale } = deps.settings;
  const longest = waits.thetaMs + longestRenderMs(row, waits).ms;
  return cost(deps, batch, row, adapter, { fromMs: submitAtMs, toMs: submitAtMs + longest / timeScale }, {});
}

/** The most that a row can cost in all if it is submitted now; null when nothing bounds it. */
export async function upperCredits(
  deps: Dependencies,
  batch: string,
  row: Row,
  adapter: Adapter,
): Promise<CreditsNano | null> {
  return withFollowUp(row, await expectedCredits(deps, batch, row, adapter))?.hi ?? null;
}

/** What a finished row cost by the same prices and the discounts between its claim and its end; null when unknown. */
export async function actualCredits(
  deps: Dependencies,
  batch: string,
  row: Row,
  adapter: Adapter,
  facts: Facts,
  between: { fromMs: number; toMs: number },
): Promise<CreditsRange | null> {
  return cost(deps, batch, row, adapter, between, facts);
}

/** What a row costs without a discount; null when unknown. */
export async function listCredits(
  deps: Dependencies,
  batch: string,
  row: Row,
  facts: Facts = {},
): Promise<CreditsRange | null> {
  return rowPrice(row, await knownPrices(deps, batch), LIST_PRICE_PPB, facts);
}

async function cost(
  deps: Dependencies,
  batch: string,
  row: Row,
  adapter: Adapter,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  facts: Facts,
): Promise<CreditsRange | null> {
  const prices = await knownPrices(deps, batch);
  const multipliers = await multipliersOf(deps, adapter, fromMs, toMs);
  return multipliers.map((ppb) => rowPrice(row, prices, ppb, facts)).reduce(widest);
}

/** Those that the batch was run with, or the account's. */
export async function knownPrices(deps: Dependencies, batch: string): Promise<KnownPrices> {
  const order = await readBatchOrder(deps.home, batch);
  return { configured: order?.prices ?? deps.settings.prices, measured: await measuredPrices(deps) };
}

/** From the least to the most of two; null = nothing is known. */
export function widest(a: CreditsRange | null, b: CreditsRange | null): CreditsRange | null {
  return a === null || b === null ? null : wider(a, b);
}
