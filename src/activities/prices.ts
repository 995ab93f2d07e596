import type { CreditsRange } from '../domain/money.js';
import type { ResultFacts } from '../domain/reading.js';
import type { Row } from '../domain/row.js';
import { actual, estimate, LIST_PRICE_PPB } from '../reconcile/price-book.js';
import { activeDiscount } from '../service/account.js';
import type { Adapter } from '../vendors/adapter.js';
import { knownDiscounts } from './account.js';
import type { Dependencies } from './dependencies.js';

/** What a row will cost by the configured prices and the discount in force; null when unknown. */
export async function expectedCredits(deps: Dependencies, row: Row, adapter: Adapter): Promise<CreditsRange | null> {
  return estimate(row, deps.settings.prices, await discountPpb(deps, adapter, deps.now()));
}

/** What a finished row cost by the configured prices and the discount at that time; null when unknown. */
export async function actualCredits(
  deps: Dependencies,
  row: Row,
  adapter: Adapter,
  facts: ResultFacts,
  atMs: number,
): Promise<CreditsRange | null> {
  return actual(row, deps.settings.prices, await discountPpb(deps, adapter, atMs), facts);
}

async function discountPpb(deps: Dependencies, adapter: Adapter, atMs: number): Promise<number> {
  if (adapter.entrypoint === null) return LIST_PRICE_PPB;
  const discounts = await knownDiscounts(deps);
  return activeDiscount(discounts, adapter.entrypoint, atMs)?.multiplierPpb ?? LIST_PRICE_PPB;
}
