import type { CreditsNano } from '../../domain/money.js';
import { knownPrices, listPrice } from '../access/home-access.js';
import { confirm } from '../ask-person.js';
import { givePrices } from '../batch/batch-terms.js';
import { amount } from '../views/counts.js';
import { type CaseSum, costText, sumOf, sumText } from './case-list.js';
import { type FoundCase, stakeOf } from './case-row.js';
import { alsoText, approveFollowing, type Dependents, followCost, refuseOverBudget } from './dependents.js';
import type { ReviewOrder } from './orders.js';

/**
 * One question for all rows of an order, before anything is changed. Throws a UserError when it is not granted; gives
 * what each row that is paid again may cost (0 where nobody knows).
 */
export async function approveOrder(
  found: readonly FoundCase[],
  order: ReviewOrder,
  dependents: Dependents,
): Promise<ReadonlyMap<string, CreditsNano>> {
  const { io } = dependents.known.session.cli;
  const stake = sumOf(found.map((one) => ({ stakeNano: stakeOf(one) })));
  if (order.command === 'resubmit') return approvePayment(found, order.isSaidYes, stake, dependents);
  await approveFollowing(dependents, order.isSaidYes);
  // What costs nothing can be taken back by a later order: only a person who sits there is asked, and only of many.
  if (!order.isSaidYes && found.length > 1 && io.isInteractive) {
    const what = order.command === 'attach-handle' ? 'Fetch' : order.isBilled ? 'Give up' : 'Settle as not billed';
    await confirm(io, `${what} ${amount(found.length, 'row')}, ${sumText(stake)} at stake?`, '');
  }
  return new Map();
}

/** Says what it costs before anything is paid again. */
async function approvePayment(
  found: readonly FoundCase[],
  isSaidYes: boolean,
  stake: CaseSum,
  dependents: Dependents,
): Promise<ReadonlyMap<string, CreditsNano>> {
  const { known } = dependents;
  const { terminal, cli } = known.session;
  const prices = await knownPrices(known);
  const priced = found.map(({ row }) => ({ id: row.id, stakeNano: listPrice(row, prices)?.hi ?? null }));
  const cost = sumOf(priced);
  const costs = costText(cost);
  const rows = found.length === 1 ? `row '${found[0]?.row.id}'` : `${found.length} rows`;
  const also = alsoText(dependents);
  const more = followCost(dependents);
  // The earlier requests may have been billed as well.
  await refuseOverBudget(known, {
    what: `${rows} would be paid again ${costs}${also}`,
    cost: { stakeNano: cost.stakeNano + more.stakeNano, unknown: cost.unknown + more.unknown },
    unbilledNano: 0,
  });
  const risk = `${sumText(stake)} of earlier requests may have been billed as well${also}`;
  if (isSaidYes) terminal.note(`paying again for ${rows}: ${costs}; ${risk}`);
  else {
    const alone = `${rows} would be paid again (${costs}): say --yes; ${risk}; nothing was submitted`;
    await confirm(cli.io, `Pay again for ${rows}: ${costs}? ${risk}`, alone);
  }
  await givePrices(known);
  return new Map(priced.map(({ id, stakeNano }) => [id, stakeNano ?? 0]));
}
