import { formatCredits } from '../../domain/money.js';
import {
  clearStopped,
  gateToApprove,
  isCancelledBatch,
  type SampleGate,
  writeSampleGate,
} from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { confirm } from '../ask-person.js';
import { spentBefore } from '../plan/approve-plan.js';
import { costText, type Plan } from '../plan/plan-view.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { termsOf } from './batch-terms.js';
import { refuseEditedManifest } from './edited-manifest.js';
import { type KnownBatch, knownBatch, refuseStrangeHome } from './known-batch.js';
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
  const gate = await waitingGate(known);
  await refuseEditedManifest(known, gate.ids);
  const rest = await planRest(known, gate.ids);
  const { plan, rows, quote } = rest;
  tellChangedSample(session, gate.ids, rows);
  tellRest(session, rest);
  const sampled = await readBatchOrder(home, batch);
  // A lower budget that the sample ran with stands; one that was approved before is used up.
  const before = gate.approved === undefined ? (sampled?.limits.maxCreditsNano ?? null) : null;
  const maxCreditsNano = await approvedBudget(known, plan, before, order);
  const { config } = session;
  const { ambiguity, retries, wasteMaxNano: alwaysMaxWaste } = sampled?.policy ?? termsOf(session, 0).policy;
  const maxFailures = config.budget.maxFailures ?? sampled?.limits.maxFailures ?? null;
  const budget = { ...config.budget, maxCredits: maxCreditsNano, maxFailures };
  // The rest runs as the sample did, whatever flags this command has.
  const approving: Session = { ...session, config: { ...config, ambiguity, alwaysMaxWaste, budget } };
  return submitAndFollow({ ...known, session: approving, rows, retry: null, retries }, async (work) => {
    await refuseRunning(known, work);
    await clearStopped(home, batch);
    await writeSampleGate(home, batch, { ...gate, quote, approved: { generation, maxCreditsNano, atMs: Date.now() } });
  });
}

/** The gate that an approval opens. Throws a UserError where there is none. */
async function waitingGate({ access: { home }, batch, generation }: KnownBatch): Promise<SampleGate> {
  const gate = await gateToApprove(home, batch, generation.generation);
  if (gate !== undefined) return gate;
  if (await isCancelledBatch(home, batch)) {
    throw new UserError(
      `batch '${batch}' was cancelled: \`callsheet retry ${batch}\` takes that back; nothing was submitted`,
    );
  }
  throw new UserError(
    `nothing of batch '${batch}' waits for approval: \`callsheet status ${batch}\` shows where it stands`,
  );
}

/**
 * What the batch may cost from now on, with what it has cost: the quote's upper end, or less where less was given; null
 * where nobody knows a price and a person agreed all the same. Throws a UserError (exit 2) when nobody agreed.
 */
async function approvedBudget(
  known: KnownBatch,
  plan: Plan,
  before: number | null,
  { yes: isSaidYes = false, unpriced: isSaidUnpriced = false }: ApprovalOrder,
): Promise<number | null> {
  const { session } = known;
  const { toSubmit, worstNano, unknown } = plan.costs.total;
  const spent = await spentBefore(known);
  const beforeNano = spent.endedNano + spent.openNano;
  const upToNano = beforeNano + worstNano;
  const isBounded = unknown === 0 && spent.unbounded === 0;
  const unpriced = `set \`prices\` for ${unknownText(unknown, spent.unbounded)}`;
  const given = session.config.budget.maxCredits;
  const { io } = session.cli;
  const lower = given ?? before;
  // A budget that the sample ran with stands.
  const orAgree = before === null ? ', or agree to them with --yes --unpriced and no budget' : '';
  const isUnbounded = isSaidUnpriced && isSaidYes;
  const isAgreed = isUnbounded ? !isBounded : isSaidYes && given !== null;
  if (!isAgreed && (given === null || io.isInteractive || isUnbounded)) {
    const say = isBounded
      ? `say --max-credits <n>, for all of it --max-credits ${formatCredits(upToNano)}`
      : `${unpriced} and say --max-credits <n>${orAgree}`;
    const cost = costText(plan.costs.total);
    const asked = { ...io, isInteractive: io.isInteractive && !isSaidYes };
    const alone = `${amount(toSubmit, 'row')} would be submitted (${cost}): ${say}; nothing was submitted`;
    await confirm(asked, `Submit the other ${amount(toSubmit, 'row')}? ${cost}`, alone, 'submitted');
  }
  if (isBounded) {
    if (lower !== null && lower < upToNano) {
      const earlier = beforeNano === 0 ? '' : `, with ${formatCredits(beforeNano)} of the batch before`;
      session.terminal.note(
        `budget    ${formatCredits(lower)} credits; all of it can cost ${formatCredits(upToNano)}${earlier}: the rest may stop before its end`,
      );
    }
    return Math.min(lower ?? upToNano, upToNano);
  }
  if (lower === null) return null;
  throw new UserError(
    `B52 --max-credits ${formatCredits(lower)} cannot be kept: ${unpriced}${orAgree}; nothing was submitted`,
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
