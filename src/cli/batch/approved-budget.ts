import type { BatchLimits } from '../../domain/batch.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { SampleGate } from '../../home/batch-marks.js';
import type { BatchOrder } from '../../home/batch-order.js';
import { confirm } from '../ask-person.js';
import { commandHint, orderWords } from '../open-session.js';
import { spentBefore } from '../plan/approve-plan.js';
import { costText, type Plan } from '../plan/plan-view.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { goingLimits } from './batch-terms.js';
import type { KnownBatch } from './known-batch.js';

/** What an approval lets a batch cost. */

interface Budgets {
  /** This manifest was approved before: the budget is raised, and never falls. */
  isApproved: boolean;
  /** What the batch may cost until now; null = nothing bounds it. */
  nowNano: CreditsNano | null;
  /** What a lower `--max-credits` of before holds an approval to. */
  keptNano: CreditsNano | null;
  /** What the command gives: settings for all batches say nothing of a limit that the batch has. */
  given: BatchLimits;
}

export function budgetsOf(
  session: Session,
  gate: SampleGate,
  order: BatchOrder | undefined,
  generation: string,
): Budgets {
  const isApproved = gate.approved?.generation === generation;
  const ordered = order?.limits.maxCreditsNano ?? null;
  const nowNano = budgetNow(isApproved ? gate : undefined, order);
  // A lower budget that the sample ran with stands; one that was approved before is used up.
  const keptNano = gate.approved === undefined ? ordered : null;
  const maxFailures = order?.limits.maxFailures ?? null;
  return {
    isApproved,
    nowNano,
    keptNano,
    given: goingLimits(session, { maxCreditsNano: isApproved ? nowNano : keptNano, maxFailures }),
  };
}

/** What an approved batch may cost by now: what was approved, or less that was ordered; null = nothing bounds it. */
export function budgetNow(gate: SampleGate | undefined, order: BatchOrder | undefined): CreditsNano | null {
  const bounds = [order?.limits.maxCreditsNano ?? null, gate?.approved?.maxCreditsNano ?? null];
  const known = bounds.filter((one) => one !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Throws a UserError where `--max-credits` would lower what was approved. */
export function refuseLower({ session, batch }: KnownBatch, budgets: Budgets): void {
  const { isApproved, nowNano } = budgets;
  const given = budgets.given.maxCreditsNano;
  if (!isApproved || nowNano === null || given === null || given >= nowNano) return;
  const raise = commandHint(session, orderWords('approve', batch, '--max-credits <more>'));
  throw new UserError(
    `'${batch}' may cost ${formatCredits(nowNano)} credits already, and --max-credits ${formatCredits(given)} is less: \`${raise}\` raises it; nothing was submitted`,
  );
}

interface Agreement {
  isSaidYes: boolean;
  /** Rows without a known price may run, and nothing bounds the batch then. */
  isSaidUnpriced: boolean;
}

/**
 * What the batch may cost from now on, with what it has cost: the quote's upper end, or less where less was given, and
 * what was given where more is approved; null where nobody knows a price and a person agreed all the same. Throws a
 * UserError (exit 2) when nobody agreed.
 */
export async function approvedBudget(
  known: KnownBatch,
  plan: Plan,
  budgets: Budgets,
  { isSaidYes, isSaidUnpriced }: Agreement,
): Promise<CreditsNano | null> {
  const { session } = known;
  const { total } = plan.costs;
  const spent = await spentBefore(known);
  const beforeNano = spent.endedNano + spent.openNano;
  const isBounded = total.unknown === 0 && spent.unbounded === 0;
  const unpriced = `set \`prices\` for ${unknownText(total.unknown, spent.unbounded)}`;
  const given = budgets.given.maxCreditsNano;
  const lower = given ?? budgets.keptNano ?? session.config.budget.maxCredits;
  const orAgree = budgets.keptNano === null ? ', or agree to them with --yes --unpriced and no budget' : '';
  const upToNano = beforeNano + total.worstNano;
  const nextNano = nextBudget(budgets, upToNano);
  const isUnbounded = isSaidUnpriced && isSaidYes;
  const isAgreed = isUnbounded ? !isBounded : isSaidYes && given !== null;
  const { io } = session.cli;
  if (isBounded) tellBudget(known, { budgets, nextNano, upToNano, beforeNano });
  if (!isAgreed && (given === null || io.isInteractive || isUnbounded)) {
    const most = formatCredits(Math.max(upToNano, nextNano));
    const say = isBounded
      ? `say --max-credits <n>, for all of it --max-credits ${most}`
      : `${unpriced} and say --max-credits <n>${orAgree}`;
    const asked = { ...io, isInteractive: io.isInteractive && !isSaidYes };
    const alone = `${amount(total.toSubmit, 'row')} would be submitted (${costText(total)}): ${say}; nothing was submitted`;
    await confirm(asked, questionOf(plan, nextNano), alone, 'submitted');
  }
  if (isBounded) return nextNano;
  if (lower === null) return null;
  throw new UserError(
    `B52 --max-credits ${formatCredits(lower)} cannot be kept: ${unpriced}${orAgree}; nothing was submitted`,
  );
}

function nextBudget(budgets: Budgets, upToNano: CreditsNano): CreditsNano {
  const { isApproved, nowNano, keptNano } = budgets;
  const given = budgets.given.maxCreditsNano;
  // What was approved stays: orders for single rows may need what the rest does not.
  if (isApproved) return given ?? Math.max(nowNano ?? 0, upToNano);
  return Math.min(given ?? keptNano ?? upToNano, upToNano);
}

function questionOf({ costs: { total } }: Plan, nextNano: CreditsNano): string {
  if (total.toSubmit === 0) return `Let the batch cost ${formatCredits(nextNano)} credits in all?`;
  return `Submit the other ${amount(total.toSubmit, 'row')}? ${costText(total)}`;
}

interface Told {
  budgets: Budgets;
  nextNano: CreditsNano;
  upToNano: CreditsNano;
  /** What the batch has cost, at most. */
  beforeNano: CreditsNano;
}

/** The new budget where it is another one than before, and where it does not cover all that is left. */
function tellBudget({ session }: KnownBatch, { budgets: { nowNano }, nextNano, upToNano, beforeNano }: Told): void {
  const next = `budget    ${formatCredits(nextNano)} credits`;
  const isOther = nowNano !== null && nowNano !== nextNano;
  const now = isOther ? ` from now on, ${formatCredits(nowNano)} before` : '';
  if (nextNano < upToNano) {
    const earlier = beforeNano === 0 ? '' : `, with ${formatCredits(beforeNano)} of the batch before`;
    session.terminal.note(
      `${next}${now}; all of it can cost ${formatCredits(upToNano)}${earlier}: the rest may stop before its end`,
    );
  } else if (isOther) session.terminal.note(`${next}${now}, with ${formatCredits(beforeNano)} of the batch so far`);
}

/** `10 rows and 2 attempts of before without a known price`. */
function unknownText(rows: number, sentBefore: number): string {
  const parts = [
    ...(rows > 0 ? [amount(rows, 'row')] : []),
    ...(sentBefore > 0 ? [`${amount(sentBefore, 'attempt')} of before`] : []),
  ];
  return `${parts.join(' and ')} without a known price`;
}
