import type { KnownPrices } from '../../books/prices/row-price.js';
import type { PriceRule } from '../../domain/price.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { readMeasuredPrices } from '../../home/learned.js';
import type { Session } from '../session.js';
import type { HomeAccess } from './home-access.js';

/** The prices that rows of a batch can be priced with: the user's own, and what the balance has shown. */
export async function knownPrices(session: Session, { home }: HomeAccess, batch?: string): Promise<KnownPrices> {
  const order = batch === undefined ? undefined : await readBatchOrder(home, batch);
  return { configured: pricesInForce(session, order) ?? [], measured: await readMeasuredPrices(home) };
}

/** Those that a flag, the environment or a settings file gives now, before those that the batch was run with. */
export function pricesInForce(
  { config, origins }: Session,
  order: { prices?: readonly PriceRule[] } | undefined,
): readonly PriceRule[] | undefined {
  return origins.get('prices')?.name === 'default' ? order?.prices : config.prices;
}
