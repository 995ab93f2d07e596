import type { CreditsRange } from '../domain/money.js';
import type { MeasuredPrice, PriceRule } from '../domain/price.js';
import type { ResultFacts } from '../domain/reading.js';
import type { Row } from '../domain/row.js';
import { measuredCost } from './measured-prices.js';
import { configuredCost } from './price-book.js';

/** Where prices come from: the configuration first, else what was measured from the balance. */
export interface KnownPrices {
  configured: readonly PriceRule[];
  measured: readonly MeasuredPrice[];
}

/**
 * What a row costs, in bounds of 1e-9 credit; null when neither source knows. The one place that prices a row: plans,
 * budgets, claims and decisions by hand cannot disagree. `facts` are what only the finished clip tells.
 */
export function rowPrice(
  row: Row,
  prices: KnownPrices,
  discountPpb: number,
  facts: Pick<ResultFacts, 'billedSeconds' | 'billedTokens'> = {},
): CreditsRange | null {
  return (
    configuredCost(row, prices.configured, discountPpb, facts) ?? measuredCost(prices.measured, row, discountPpb, facts)
  );
}
