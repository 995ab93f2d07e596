import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { rowPrice, withFollowUp } from '../../books/prices/row-price.js';
import type { CreditsNano } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { fedRow, feedersOf } from '../../home/feeders.js';
import type { HomeAccess } from '../access/home-access.js';
import { knownPrices } from '../access/known-prices.js';
import type { KnownBatch } from '../batch/known-batch.js';
import type { Session } from '../session.js';
import { type CaseSum, sumOf } from './case-list.js';

/** The most that another attempt of each row costs, with the files that feed it as far as they are there. */
export async function rowsCost(
  session: Session,
  access: HomeAccess,
  { batch, generation: { generation } }: KnownBatch,
  rows: readonly Row[],
): Promise<CaseSum> {
  const prices = await knownPrices(session, access, batch);
  const stakes: { stakeNano: CreditsNano | null }[] = [];
  for (const one of rows) {
    const row = fedRow(one, await feedersOf(access, { batch, generation }, one));
    stakes.push({ stakeNano: withFollowUp(row, rowPrice(row, prices, LIST_PRICE_PPB))?.hi ?? null });
  }
  return sumOf(stakes);
}
