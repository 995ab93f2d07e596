import { spentOf } from '../../books/spent.js';
import type { SpentResult } from '../../contract/activities.js';
import { formatCredits } from '../../domain/money.js';
import type { HomeAccess } from '../access/home-access.js';
import { knownPrices } from '../access/known-prices.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { costText, type Plan } from './plan-view.js';

const NOTHING_SPENT: SpentResult = { endedNano: 0, openNano: 0, unbounded: 0 };

/** Whether a plan may be run: at once, after a question, or not at all. */
export type Approval =
  | { approval: 'granted' }
  | { approval: 'ask'; why: string }
  | { approval: 'refused'; why: string };

/** Pure: what the settings say about a plan's cost. All amounts in nanocredits. */
export function approvalOf(
  plan: Plan,
  budget: { maxCredits: number | null; askAbove: number },
  isSaidYes: boolean,
  spent: SpentResult = NOTHING_SPENT,
): Approval {
  const { total } = plan.costs;
  if (total.toSubmit === 0) return { approval: 'granted' };
  if (budget.maxCredits !== null) {
    const limit = formatCredits(budget.maxCredits);
    const before = spent.endedNano + spent.openNano;
    if (total.worstNano + before > budget.maxCredits) {
      const earlier = before === 0 ? '' : ` and ${formatCredits(before)} of this batch before`;
      const why = `B52 planned ${formatCredits(total.worstNano)} credits${earlier} exceed --max-credits ${limit}: raise it or take rows out`;
      return { approval: 'refused', why };
    }
    if (total.unknown > 0) {
      const why = `B52 ${total.unknown} rows have no known price, so --max-credits ${limit} cannot be kept: set \`prices\` for them or leave --max-credits out`;
      return { approval: 'refused', why };
    }
    if (spent.unbounded > 0) {
      const why = `B52 ${amount(spent.unbounded, 'attempt')} of this batch had no known price, so --max-credits ${limit} cannot be kept: set \`prices\` for them or leave --max-credits out`;
      return { approval: 'refused', why };
    }
    return { approval: 'granted' };
  }
  if (isSaidYes) return { approval: 'granted' };
  if (total.unknown === 0 && total.worstNano <= budget.askAbove) return { approval: 'granted' };
  return { approval: 'ask', why: costText(total) };
}

/** The most that a batch can have cost before; looked up only where a budget asks for it. */
export async function spentBefore(session: Session, access: HomeAccess, batch: string): Promise<SpentResult> {
  if (session.config.budget.maxCredits === null) return NOTHING_SPENT;
  return spentOf(access, batch, () => knownPrices(session, access, batch));
}

/** Asks where a person can answer; throws a UserError (exit 2) when the plan is refused. */
export async function approvePlan(session: Session, plan: Plan, isSaidYes: boolean, spent: SpentResult): Promise<void> {
  const { io } = session.cli;
  const approval = approvalOf(plan, session.config.budget, isSaidYes, spent);
  if (approval.approval === 'granted') return;
  if (approval.approval === 'refused') throw new UserError(`${approval.why}; nothing was submitted`);
  if (!io.isInteractive) {
    const { toSubmit, unknown } = plan.costs.total;
    // A budget cannot be kept where prices are not known: it would be refused next.
    const orBudget = unknown === 0 ? 'set --max-credits' : 'set `prices` and --max-credits';
    throw new UserError(
      `${amount(toSubmit, 'row')} would be submitted (${approval.why}): say --yes or ${orBudget}; nothing was submitted`,
    );
  }
  const { askPerson } = await import('../ask-person.js');
  const question = `Submit ${amount(plan.costs.total.toSubmit, 'row')}? ${approval.why}`;
  if (!(await askPerson(io, question))) throw new UserError('not confirmed: nothing was submitted');
}
