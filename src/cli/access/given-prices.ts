import { isDeepStrictEqual } from 'node:util';
import type { PriceRule } from '../../domain/price.js';
import { readBatchOrder } from '../../store/batch-order.js';
import { readGivenPrices, writeGivenPrices } from '../../store/given-prices.js';
import type { Home } from '../../store/home.js';
import type { Session } from '../session.js';

/** This command's price rules; without any those that the batch was run with, or that the account was given last. */
export async function pricesInForce({ config }: Session, home: Home, batch?: string): Promise<readonly PriceRule[]> {
  if (config.prices.length > 0) return config.prices;
  const order = batch === undefined ? undefined : await readBatchOrder(home, batch);
  return order?.prices ?? readGivenPrices(home);
}

/** The same, kept for the commands that follow. */
export async function keepPricesInForce(session: Session, home: Home): Promise<readonly PriceRule[]> {
  const { prices } = session.config;
  const known = await readGivenPrices(home);
  if (prices.length === 0) return known;
  if (!isDeepStrictEqual(prices, known)) await writeGivenPrices(home, prices);
  return prices;
}
