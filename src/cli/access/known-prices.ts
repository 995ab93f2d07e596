import type { KnownPrices } from '../../reconcile/row-price.js';
import { readMeasuredPrices } from '../../store/learned.js';
import type { Session } from '../session.js';
import { pricesInForce } from './given-prices.js';
import type { HomeAccess } from './home-access.js';

/** The prices that rows of the account, or of one batch, can be priced with: the user's own, and what the balance has shown. */
export async function knownPrices(session: Session, { home }: HomeAccess, batch?: string): Promise<KnownPrices> {
  return { configured: await pricesInForce(session, home, batch), measured: await readMeasuredPrices(home) };
}
