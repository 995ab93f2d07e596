import { spentOf } from '../../books/spent.js';
import { formatCredits } from '../../domain/money.js';
import {
  clearStopped,
  isCancelledBatch,
  readSampleGate,
  type SampleGate,
  stoppedReason,
  writeSampleGate,
} from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { knownPrices } from '../access/known-prices.js';
import { costText, type Plan, planLines } from '../plan/plan-view.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { knownBatch } from './known-batch.js';
import { refuseOtherHome } from './same-home.js';
import { planRest, refuseRunning } from './sample-run.js';
import { submitAndFollow } from './submit-and-follow.js';

export interface ApprovalOrder {
  /** Nobody is asked: what it may cost was said with the order. */
  isSaidYes: boolean;
  trustsHome: boolean;
}

/** Runs what a sample held back, after a person saw what it costs; gives the exit code. */
export async function approveBatch(session: Session, batch: string, order: ApprovalOrder): Promise<number> {
  await session.apiKey();
  const access = openHomeAccess(session.config);
  const { generation } = await knownBatch(session, access, batch);
  await refuseOtherHome(session, access, batch, order.trustsHome);
  const gate = await waitingGate(access, batch, generation.generation);
  const { plan, rows } = await planRest(session, { access, batch, generation });
  for (const line of planLines(plan)) session.terminal.note(line);
  const sampled = await readBatchOrder(access.home, batch);
  // A lower budget that the sample ran with stands; one that was approved before is used up.
  const before = gate.approved === undefined ? (sampled?.limits.maxCreditsNano ?? null) : null;
  const maxCreditsNano = await approvedBudget(session, access, plan, { before, isSaidYes: order.isSaidYes });
  const approved = { generation: generation.generation, maxCreditsNano, atMs: Date.now() };
  const { ambiguity, retries, wasteMaxNano: alwaysMaxWaste } = sampled?.policy ?? keptPolicy(session);
  const budget = { ...session.config.budget, maxCredits: maxCreditsNano };
  // The rest runs as the sample did, whatever flags this command has.
  const approving: Session = { ...session, config: { ...session.config, ambiguity, alwaysMaxWaste, budget } };
  const toRun = { access, batch, generation, rows, retry: null, retries };
  return submitAndFollow(approving, toRun, async (work) => {
    await refuseRunning(access.home, work, batch);
    await clearStopped(access.home, batch);
    await writeSampleGate(access.home, batch, { ...gate, approved });
  });
}

function keptPolicy({ config }: Session) {
  return { ambiguity: config.ambiguity, retries: 0, wasteMaxNano: config.alwaysMaxWaste };
}

/** The gate that an approval opens: nobody did yet, or what was approved is used up. Throws a UserError. */
async function waitingGate({ home }: HomeAccess, batch: string, generation: string): Promise<SampleGate> {
  const gate = await readSampleGate(home, batch);
  const isUsedUp = (await stoppedReason(home, batch)) === 'budget_reached';
  if (gate === undefined || (gate.approved?.generation === generation && !isUsedUp)) {
    throw new UserError(
      `nothing of batch '${batch}' waits for approval: \`callsheet status ${batch}\` shows where it stands`,
    );
  }
  if (!(await isCancelledBatch(home, batch))) return gate;
  throw new UserError(
    `batch '${batch}' was cancelled: \`callsheet retry ${batch}\` takes that back; nothing was submitted`,
  );
}

/**
 * What the batch may cost from now on, with what it has cost: the quote's upper end, or less where less was given; null
 * where nobody knows a price and a person agreed all the same. Throws a UserError (exit 2) when nobody agreed.
 */
async function approvedBudget(
  session: Session,
  access: HomeAccess,
  plan: Plan,
  { before, isSaidYes }: { before: number | null; isSaidYes: boolean },
): Promise<number | null> {
  const { batch } = plan;
  const { toSubmit, worstNano, unknown } = plan.costs.total;
  const spent = await spentOf(access, batch, () => knownPrices(session, access, batch));
  const isBounded = unknown === 0 && spent.unbounded === 0;
  const upToNano = spent.endedNano + spent.openNano + worstNano;
  const given = session.config.budget.maxCredits;
  const { io } = session.cli;
  if (io.isInteractive && !isSaidYes) {
    const { askPerson } = await import('../ask-person.js');
    const question = `Submit the other ${amount(toSubmit, 'row')}? ${costText(plan.costs.total)}`;
    if (!(await askPerson(io, question))) throw new UserError('not confirmed: nothing was submitted');
  } else if (given === null) {
    const say = isBounded
      ? `say --max-credits <n>, for all of it --max-credits ${formatCredits(upToNano)}`
      : `set \`prices\` for ${unknownText(unknown, spent.unbounded)} and say --max-credits <n>`;
    throw new UserError(
      `${amount(toSubmit, 'row')} would be submitted (${costText(plan.costs.total)}): ${say}; nothing was submitted`,
    );
  }
  const lower = given ?? before;
  if (isBounded) {
    if (lower !== null && lower < upToNano) {
      const beforeNano = spent.endedNano + spent.openNano;
      const before = beforeNano === 0 ? '' : `, with ${formatCredits(beforeNano)} of the batch before`;
      session.terminal.note(
        `budget    ${formatCredits(lower)} credits; all of it can cost ${formatCredits(upToNano)}${before}: the rest may stop before its end`,
      );
    }
    return Math.min(lower ?? upToNano, upToNano);
  }
  if (lower === null) return null;
  throw new UserError(
    `B52 --max-credits ${formatCredits(lower)} cannot be kept: set \`prices\` for ${unknownText(unknown, spent.unbounded)}; nothing was submitted`,
  );
}

/** `10 rows and 2 attempts of before without a known price`. */
function unknownText(rows: number, sentBefore: number): string {
  const parts = [
    ...(rows > 0 ? [amount(rows, 'row')] : []),
    ...(sentBefore > 0 ? [`${amount(sentBefore, 'attempt')} of before`] : []),
  ];
  return `${parts.join(' and ')} without a known price`;
}
