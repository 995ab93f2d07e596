import type { Row } from '../../domain/row.js';
import { clearStopped, isCancelledBatch, sampleInForce } from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { clearFollowers } from '../../home/row-orders.js';
import { takeBackCancel } from '../../home/run-order.js';
import { readOwnCredits } from '../access/read-account.js';
import { hintsOf } from '../open-session.js';
import { approvePlan } from '../plan/approve-plan.js';
import { countKeptRows } from '../plan/count-kept-rows.js';
import { makePlan } from '../plan/make-plan.js';
import { planLines } from '../plan/plan-view.js';
import type { Session } from '../session.js';
import { createAcceptedInputs } from './accepted-inputs.js';
import { asOrdered, withoutLowerBudget } from './batch-terms.js';
import { knownBatch, refuseStrangeHome } from './known-batch.js';
import { proveOut } from './prove-out.js';
import { tellApproved } from './resume-refusals.js';
import { newRetry } from './run-flags.js';
import { openStoredAgain, takeStoredAgain } from './stored-again.js';
import { submitAndFollow, tellStanding } from './submit-and-follow.js';

export interface RetryFlags {
  class?: string;
  /** Absent = as the batch was run. */
  retries?: number;
  yes?: boolean;
  trustHome?: boolean;
  /** Files that feed rows and were changed since are taken as they lie. */
  acceptInputs?: boolean;
}

/** Runs failed and cancelled rows of a batch again, from the rows that the home keeps. */
export async function retryBatch(session: Session, batch: string, flags: RetryFlags): Promise<number> {
  const { terminal } = session;
  const retry = newRetry(flags.class);
  await session.apiKey();
  const known = await knownBatch(session, batch);
  const { access, generation } = known;
  await refuseStrangeHome(known, flags.trustHome);
  await tellApproved(known);
  const sample = await sampleInForce(access.home, batch, generation.generation);
  const isMeant = (row: Row) => sample?.has(row.id) !== false;
  const inputs = flags.acceptInputs ? await createAcceptedInputs(known, retry, isMeant) : undefined;
  const again = openStoredAgain(known, known.out);
  const counted = inputs === undefined ? known : { ...known, access: inputs.access };
  const { rows, chains } = await countKeptRows(counted, { retry, again }, async (row) => {
    if (!isMeant(row)) return false;
    await inputs?.look(row);
    return true;
  });
  await takeStoredAgain(known, known.out, again.found);
  if (rows.finishedBefore.every((finished) => finished)) {
    const which = flags.class === undefined ? '' : ` of class ${flags.class}`;
    terminal.note(`'${batch}' has no failed or cancelled row${which}: nothing is run again`);
    if (sample !== undefined && (await isCancelledBatch(access.home, batch))) {
      await takeBackCancel(access.home, batch);
      terminal.note('the cancel is taken back: the rest waits for approval as before');
    }
    const held = sample === undefined ? 0 : generation.rows - rows.finishedBefore.filter((isRow) => isRow).length;
    return tellStanding(known, rows, held);
  }
  const credits = await readOwnCredits(session);
  const plan = await makePlan(known, { manifest: 'retry', rows, costNotes: [], chains }, credits);
  for (const line of planLines(plan, hintsOf(session))) terminal.note(line);
  const order = await readBatchOrder(access.home, batch);
  await approvePlan({ ...known, session: withoutLowerBudget(session, order) }, plan, flags.yes);
  await proveOut(known, 0, known.out);
  // The budget that the batch has bounds what is retried, however the question was answered.
  const retries = flags.retries ?? order?.policy.retries ?? 0;
  // Not before it can be handed over: of a retry that was refused nothing may stand that a later `resume --all` pays for.
  const plannedCosts = plan.costs.byKind;
  const toRun = { ...known, session: asOrdered(session, order), rows, plannedCosts, retry, retries };
  return submitAndFollow(toRun, async () => {
    await inputs?.accept();
    await takeBackCancel(access.home, batch);
    await clearStopped(access.home, batch);
    await clearFollowers(access.home, batch);
  });
}
