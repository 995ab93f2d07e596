import { spentOf } from '../../books/spent.js';
import type { SpentResult } from '../../contract/pages.js';
import { formatCredits } from '../../domain/money.js';
import { type BatchPlace, knownPrices } from '../access/home-access.js';
import { confirm } from '../ask-person.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import type { CostTally } from './plan-tally.js';
import { costText, type Plan } from './plan-view.js';

const NOTHING_SPENT: SpentResult = { endedNano: 0, openNano: 0, unbounded: 0 };

/** Whether a plan may be run: at once, after a question, or not at all. */
type Approval = { approval: 'granted' } | { approval: 'ask'; why: string } | { approval: 'refused'; why: string };

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
    const why = budgetRefusal(total, budget.maxCredits, spent);
    return why === undefined ? { approval: 'granted' } : { approval: 'refused', why: `B52 ${why}` };
  }
  if (isSaidYes) return { approval: 'granted' };
  if (total.unknown === 0 && total.worstNano <= budget.askAbove) return { approval: 'granted' };
  return { approval: 'ask', why: costText(total) };
}

function budgetRefusal(total: CostTally, maxCredits: number, spent: SpentResult): string | undefined {
  const limit = formatCredits(maxCredits);
  const before = spent.endedNano + spent.openNano;
  if (total.worstNano + before > maxCredits) {
    const earlier = before === 0 ? '' : ` and ${formatCredits(before)} of this batch before`;
    return `planned ${formatCredits(total.worstNano)} credits${earlier} exceed --max-credits ${limit}: raise it or take rows out`;
  }
  const advice = `so --max-credits ${limit} cannot be kept: set \`prices\` for them or leave --max-credits out`;
  if (total.unknown > 0) return `${total.unknown} rows have no known price, ${advice}`;
  if (spent.unbounded === 0) return undefined;
  return `${amount(spent.unbounded, 'attempt')} of this batch had no known price, ${advice}`;
}

/** Asks where a person can answer; throws a UserError (exit 2) when the plan is refused. */
export async function approvePlan(at: BatchPlace, plan: Plan, isSaidYes = false): Promise<void> {
  const { budget } = at.session.config;
  const spent = budget.maxCredits === null ? NOTHING_SPENT : await spentBefore(at);
  const approval = approvalOf(plan, budget, isSaidYes, spent);
  if (approval.approval === 'granted') return;
  if (approval.approval === 'refused') throw new UserError(`${approval.why}; nothing was submitted`);
  const { toSubmit, unknown } = plan.costs.total;
  // A budget cannot be kept where prices are not known: it would be refused next.
  const orBudget = unknown === 0 ? 'set --max-credits' : 'set `prices` and --max-credits';
  const alone = `${amount(toSubmit, 'row')} would be submitted (${approval.why}): say --yes or ${orBudget}; nothing was submitted`;
  await confirm(at.session.cli.io, `Submit ${amount(toSubmit, 'row')}? ${approval.why}`, alone, 'submitted');
}

/** The most that a batch can have cost before. */
export function spentBefore(at: BatchPlace): Promise<SpentResult> {
  return spentOf(at.access, at.batch, () => knownPrices(at));
}
