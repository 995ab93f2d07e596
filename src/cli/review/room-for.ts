import { spentOf } from '../../books/spent.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { HomeAccess } from '../access/home-access.js';
import { knownPrices } from '../access/known-prices.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import type { CaseSum } from './case-list.js';

/** Rows of one batch that would be sent again. */
export interface SentAgain {
  batch: string;
  /** `2 rows would be sent again for 0.8 credits`. */
  what: string;
  cost: Pick<CaseSum, 'stakeNano' | 'unknown'>;
  /** What counted as spent until now and was not billed. */
  unbilledNano: CreditsNano;
  /** What the batch may cost by its own order; the lower of both holds. */
  limitNano?: CreditsNano | null | undefined;
}

/** Throws a UserError (`B52`) where a batch would cost more than --max-credits, with what it has spent before. */
export async function refuseOverBudget(session: Session, access: HomeAccess, again: SentAgain): Promise<void> {
  const limits = [session.config.budget.maxCredits, again.limitNano ?? null].filter((limit) => limit !== null);
  if (limits.length === 0) return;
  const maxCredits = Math.min(...limits);
  const spent = await spentOf(access, again.batch, () => knownPrices(session, access, again.batch));
  const beforeNano = Math.max(0, spent.endedNano + spent.openNano - again.unbilledNano);
  const isUnknown = again.cost.unknown > 0 || spent.unbounded > 0;
  if (!isUnknown && beforeNano + again.cost.stakeNano <= maxCredits) return;
  const earlier = beforeNano === 0 ? '' : ` beside ${formatCredits(beforeNano)} of the batch before`;
  const isOrdered = maxCredits !== session.config.budget.maxCredits;
  const whose = isOrdered
    ? `the batch's budget is ${formatCredits(maxCredits)}: \`callsheet resume ${again.batch} --max-credits <n>\` raises it`
    : `--max-credits is ${formatCredits(maxCredits)}`;
  throw new UserError(`B52 ${again.what}${earlier}, and ${whose}`);
}
