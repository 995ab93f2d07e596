import { formatCredits } from '../../domain/money.js';
import { gateToApprove, isCancelledBatch, readSampleGate, type SampleGate } from '../../home/batch-marks.js';
import { changeBatchOrder, readBatchOrder } from '../../home/batch-order.js';
import { approveRest } from '../../home/run-order.js';
import { commandHint, orderWords } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { approvedBudget, budgetNow, budgetsOf, refuseLower } from './approved-budget.js';
import { joinRunning } from './batch-source.js';
import { keptRetry, limitsOf, sayLimited, termsOf, withLimits, withPrices } from './batch-terms.js';
import { refuseEditedManifest } from './edited-manifest.js';
import { type KnownBatch, knownBatch, refuseStrangeHome } from './known-batch.js';
import { orderLimits, signalLimits } from './resume-batch.js';
import { ownLimits } from './resume-refusals.js';
import { planRest, tellRest } from './sample-quote.js';
import { refuseRunning, tellChangedSample } from './sample-run.js';
import { submitAndFollow } from './submit-and-follow.js';

export interface ApprovalOrder {
  /** Nobody is asked: what it may cost was said with the order. */
  yes?: boolean;
  /** Rows may be submitted of which nobody knows the price: no budget bounds the batch then. */
  unpriced?: boolean;
  /** The manifest that was looked at: another one asks again. */
  generation?: string;
  trustHome?: boolean;
}

/** Runs what a sample held back, after a person saw what it costs; gives the exit code. */
export async function approveBatch(session: Session, batch: string, order: ApprovalOrder): Promise<number> {
  await session.apiKey();
  const known = await knownBatch(session, batch);
  const { generation } = known.generation;
  const { home } = known.access;
  await refuseStrangeHome(known, order.trustHome);
  if (order.generation !== undefined && order.generation !== generation) {
    throw new UserError(
      `the manifest of batch '${batch}' is another one now: look at what it costs, then approve again; nothing was submitted`,
    );
  }
  const gate = await openableGate(known);
  await refuseEditedManifest(known, gate.ids);
  const before = await readBatchOrder(home, batch);
  const budgets = budgetsOf(session, gate, before, generation);
  refuseLower(known, budgets);
  const retry = keptRetry(before, generation);
  const rest = await planRest(known, gate.ids, retry);
  const { plan, rows, quote } = rest;
  tellChangedSample(session, gate.ids, rows);
  const isAnyLeft = !budgets.isApproved || rows.finishedBefore.some((isFinished) => !isFinished);
  if (isAnyLeft) tellRest(session, rest);
  const agreement = { isSaidYes: order.yes === true, isSaidUnpriced: order.unpriced === true };
  const maxCreditsNano = await approvedBudget(known, plan, budgets, agreement);
  const { config } = session;
  const { ambiguity, retries, wasteMaxNano: alwaysMaxWaste } = before?.policy ?? termsOf(session, 0).policy;
  const maxFailures = budgets.given.maxFailures ?? before?.limits.maxFailures ?? null;
  const budget = { ...config.budget, maxCredits: maxCreditsNano, maxFailures };
  // The rest runs as the sample did, whatever flags this command has.
  const approving: Session = { ...session, config: { ...config, ambiguity, alwaysMaxWaste, budget } };
  const approve = (): Promise<void> =>
    approveRest(home, batch, { ...gate, quote, approved: { generation, maxCreditsNano, atMs: Date.now() } });
  if (!isAnyLeft) return raiseAlone({ ...known, session: approving }, approve);
  if (budgets.isApproved && (await raiseRunning({ ...known, session: approving }, approve))) return EXIT.done;
  const toRun = { ...known, session: approving, rows, plannedCosts: plan.costs.byKind, retry, retries };
  return submitAndFollow(toRun, async (work) => {
    await refuseRunning(known, work);
    await approve();
  });
}

/** Nothing is left to run: the new limits hold for what is ordered of the batch next, and no engine is needed for that. */
async function raiseAlone({ session, access, batch }: KnownBatch, approve: () => Promise<void>): Promise<number> {
  await approve();
  const limits = limitsOf(session);
  await changeBatchOrder(access.home, batch, (order) => order && withPrices(session, withLimits(order, limits)));
  sayLimited(session, batch);
  return EXIT.done;
}

/** More is approved while the batch runs: it goes on under that at once. False where it does not run. */
export async function raiseRunning(
  known: KnownBatch,
  approve: () => Promise<void>,
  join: typeof joinRunning = joinRunning,
): Promise<boolean> {
  const { session, batch } = known;
  const limits = limitsOf(session);
  const work = limits.maxCreditsNano === null ? undefined : await join(known);
  if (work === undefined || limits.maxCreditsNano === null) return false;
  try {
    await approve();
    await orderLimits(known, limits);
    if (!(await signalLimits(known, work, limits))) return false;
  } finally {
    await work.close();
  }
  const { terminal, isJson } = session;
  if (isJson) terminal.json({ schema: 1, batch, order: 'limits' });
  else terminal.data(`'${batch}' may cost ${formatCredits(limits.maxCreditsNano)} credits in all from now on`);
  return true;
}

/**
 * The gate that an approval opens, or has opened: more credits are approved also where nothing waits for them, for rows
 * that are ordered again next. Throws a UserError where there is none.
 */
async function openableGate({ session, access: { home }, batch, generation }: KnownBatch): Promise<SampleGate> {
  const gate = await gateToApprove(home, batch, generation.generation);
  if (gate !== undefined) return gate;
  if (await isCancelledBatch(home, batch)) {
    const retry = commandHint(session, orderWords('retry', batch));
    throw new UserError(`batch '${batch}' was cancelled: \`${retry}\` takes that back; nothing was submitted`);
  }
  const known = await readSampleGate(home, batch);
  const isBound = known !== undefined && known.approved?.generation === generation.generation;
  // Of both that bound it: an approval that was cut off between them is given once more.
  const nowNano = isBound ? budgetNow(known, await readBatchOrder(home, batch)) : null;
  const given = session.config.budget.maxCredits;
  const isMore = ownLimits(session).includes('--max-credits') && given !== null && nowNano !== null && given > nowNano;
  if (isBound && isMore) return known;
  const raise = commandHint(session, orderWords('approve', batch, '--max-credits <more>'));
  const budget =
    nowNano === null ? '' : `, and its budget is ${formatCredits(nowNano)} credits (\`${raise}\` raises it)`;
  const look = commandHint(session, orderWords('status', batch));
  throw new UserError(`nothing of batch '${batch}' waits for approval${budget}: \`${look}\` shows where it stands`);
}
