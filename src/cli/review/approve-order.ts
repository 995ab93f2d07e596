import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { rowPrice, withFollowUp } from '../../books/prices/row-price.js';
import type { CreditsNano } from '../../domain/money.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { type HomeAccess, knownPrices } from '../access/home-access.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type CaseSum, sumOf, sumText } from './case-list.js';
import { type FoundCase, stakeOf } from './case-row.js';
import { alsoText, approveFollowing, type Dependents, followCost, followText, refuseOverBudget } from './dependents.js';
import type { ReviewOrder } from './orders.js';

/**
 * One question for all rows of an order, before anything is changed. Throws a UserError when it is not granted; gives
 * what each row that is paid again may cost (0 where nobody knows).
 */
export async function approveOrder(
  session: Session,
  access: HomeAccess,
  found: readonly FoundCase[],
  order: ReviewOrder,
  dependents: Dependents,
): Promise<ReadonlyMap<string, CreditsNano>> {
  const stake = sumOf(found.map((one) => ({ stakeNano: stakeOf(one) })));
  if (order.command === 'resubmit') return approvePayment(session, access, found, order.isSaidYes, stake, dependents);
  await refuseDear(session, access, dependents);
  await approveFollowing(session, dependents, order.isSaidYes);
  // What costs nothing can be taken back by a later order: only a person who sits there is asked, and only of many.
  if (order.isSaidYes || found.length < 2 || !session.cli.io.isInteractive) return new Map();
  const what = order.command === 'attach-handle' ? 'Fetch' : order.isBilled ? 'Give up' : 'Settle as not billed';
  await ask(session, `${what} ${amount(found.length, 'row')}, ${sumText(stake)} at stake?`);
  return new Map();
}

/** Says what it costs before anything is paid again. */
async function approvePayment(
  session: Session,
  access: HomeAccess,
  found: readonly FoundCase[],
  isSaidYes: boolean,
  stake: CaseSum,
  dependents: Dependents,
): Promise<ReadonlyMap<string, CreditsNano>> {
  const { terminal, cli } = session;
  const prices = await knownPrices(session, access, found[0]?.ref.batch);
  const priced = found.map(({ row }) => ({
    id: row.id,
    stakeNano: withFollowUp(row, rowPrice(row, prices, LIST_PRICE_PPB))?.hi ?? null,
  }));
  const cost = sumOf(priced);
  const paid = new Map(priced.map(({ id, stakeNano }) => [id, stakeNano ?? 0]));
  const rows = found.length === 1 ? `row '${found[0]?.row.id}'` : `${found.length} rows`;
  const also = alsoText(dependents);
  const what = `to pay again for ${rows} costs ${costText(cost)}${also}`;
  const more = followCost(dependents);
  const sum = { stakeNano: cost.stakeNano + more.stakeNano, unknown: cost.unknown + more.unknown };
  // The earlier requests may have been billed as well.
  const limitNano = also === '' ? null : await ownLimit(access, dependents);
  await refuseOverBudget(session, access, {
    batch: found[0]?.batch ?? '',
    what,
    cost: sum,
    unbilledNano: 0,
    limitNano,
  });
  const risk = `${sumText(stake)} of earlier requests may have been billed as well${also}`;
  if (isSaidYes) {
    terminal.note(`paying again for ${rows}: ${costText(cost)}; ${risk}`);
    return paid;
  }
  if (!cli.io.isInteractive) {
    throw new UserError(`${rows} would be paid again (${costText(cost)}): say --yes; ${risk}; nothing was submitted`);
  }
  await ask(session, `Pay again for ${rows}: ${costText(cost)}? ${risk}`);
  return paid;
}

/** What follows has to fit into the budget of the batch, and into the one of this command. */
async function refuseDear(session: Session, access: HomeAccess, dependents: Dependents): Promise<void> {
  const what = followText(dependents);
  if (what === undefined) return;
  const { batch } = dependents.known;
  const limitNano = await ownLimit(access, dependents);
  const cost = followCost(dependents);
  await refuseOverBudget(session, access, {
    batch,
    what: `${what} (--no-dependents leaves them)`,
    cost,
    unbilledNano: 0,
    limitNano,
  });
}

/** What the batch may cost by its own order: it binds what follows. */
async function ownLimit({ home }: HomeAccess, { known }: Dependents): Promise<CreditsNano | null> {
  return (await readBatchOrder(home, known.batch))?.limits?.maxCreditsNano ?? null;
}

function costText(cost: CaseSum): string {
  return cost.unknown === cost.rows ? 'at a price that nobody knows' : `up to ${sumText(cost)}`;
}

async function ask({ cli }: Session, message: string): Promise<void> {
  const { askPerson } = await import('../ask-person.js');
  const isGranted = await askPerson(cli.io, message);
  if (!isGranted) throw new UserError('not confirmed: nothing was changed');
}
