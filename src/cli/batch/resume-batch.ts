import { resumeBatch, setBudget } from '../../contract/messages.js';
import { batchId } from '../../contract/names.js';
import type { BatchLimits } from '../../domain/batch.js';
import { clearStopped, liftedStops, stoppedReason } from '../../home/batch-marks.js';
import { type BatchOrder, changeBatchOrder, orderPause, readBatchOrder } from '../../home/batch-order.js';
import { absentIsUndefined } from '../../temporal/look.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { resumeWork, startWork, type WorkAccess } from '../access/work-access.js';
import { carryOut } from '../review/continue-rows.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { orderRpm, refuseRpmOfAll, refuseSharedRpm } from './batch-rpm.js';
import { createBatchSource, signalRunning } from './batch-source.js';
import { approvedLimits, givenLimits, goingLimits, keptRetry, withLimits, withPrices } from './batch-terms.js';
import { tellHeldAccount } from './held-account.js';
import {
  fullDisk,
  generationInForce,
  type KnownBatch,
  knownBatch,
  markAsOwn,
  otherHomeText,
  refuseStrangeHome,
} from './known-batch.js';
import {
  ownLimits,
  refuseLimits,
  refuseLimitsOfAll,
  refuseSameBudget,
  refuseSampled,
  stoppedEarly,
  tellCancelStands,
} from './resume-refusals.js';
import { type BatchSupply, submitBatch, supplyAgain, tellLimits } from './submit-batch.js';
import { hasOpenRows, waitsForOutput } from './what-is-left.js';

interface Resumed {
  /** Handed to a workflow again. */
  resumed: string[];
  /** They run by themselves once the engine does. */
  running: string[];
  /** A person paused them: they wait for an order of their own. */
  paused: string[];
  /** Nobody knows what they may cost, since an older build ran them or their order is damaged: they want a `run`. */
  left: string[];
  /** Run from another home, or from a later state of this one: not gone on with, and paused where they run. */
  otherHome: string[];
}

/** Goes on with every batch of the account that has open rows, after a reboot or a stop. Nothing is asked or retried. */
export async function resumeAll(session: Session, trustsHome: boolean): Promise<Resumed> {
  refuseRpmOfAll(session);
  refuseLimitsOfAll(session);
  const access = openHomeAccess(session.config);
  const otherHome = await otherHomes(access, trustsHome);
  const done: Resumed = { resumed: [], running: [], paused: [], left: [], otherHome: [] };
  // The engine before the others: what it knows goes on at once.
  const work = await startWork(session);
  try {
    for (const batch of await access.home.batches()) {
      const at = { session, access, batch };
      const isRunning = (await createBatchSource(at, work).state()).state === 'running';
      const generation = isRunning ? undefined : await generationInForce(access, batch);
      const isOpen = isRunning || (generation !== undefined && (await hasOpenRows({ ...at, generation })));
      if (!isOpen) continue;
      if (otherHome.includes(batch)) {
        done.otherHome.push(batch);
        continue;
      }
      const terms = await readBatchOrder(access.home, batch);
      if (isRunning || generation === undefined) {
        (terms?.isDamaged ? done.left : terms?.isPaused ? done.paused : done.running).push(batch);
        await carryOut(await knownBatch(session, batch, access), work);
        continue;
      }
      if (terms === undefined || terms.isDamaged) {
        done.left.push(batch);
        continue;
      }
      const supply = { ...supplyOf({ generation }), retry: keptRetry(terms, generation.generation) };
      // A paused one is handed over too: what it has at the service is paid, and is fetched.
      await (terms.isPaused ? supplyAgain(at, work, supply) : submitBatch(at, work, supply, terms));
      (terms.isPaused ? done.paused : done.resumed).push(batch);
    }
    const [batch] = [...done.running, ...done.resumed];
    if (batch !== undefined) await tellHeldAccount({ session, access, batch }, work);
    return done;
  } finally {
    await work.close();
  }
}

/** An engine that starts goes on with all that it knows: the pause keeps such a batch from paying again. */
async function otherHomes(access: HomeAccess, trustsHome: boolean): Promise<string[]> {
  const found: string[] = [];
  for (const batch of await access.home.batches()) {
    if ((await otherHomeText(access, batch)) === undefined) continue;
    if (trustsHome) {
      await markAsOwn(access, batch);
      // What a person paused waits for an order of its own, whichever home is the right one.
      if ((await readBatchOrder(access.home, batch))?.isHeldForHome) await orderPause(access.home, batch, false);
      continue;
    }
    await orderPause(access.home, batch, true, { isHeldForHome: true });
    found.push(batch);
  }
  return found;
}

function supplyOf({ generation: { generation, rows } }: Pick<KnownBatch, 'generation'>): BatchSupply {
  return { generation, rows, retry: null, retries: 0 };
}

/**
 * Lets a batch go on: one that is paused, one that stopped for its budget or its failures, with new limits, and one
 * that nothing works on any more or that still waits for a paid output. False where nothing of it is left to run, and
 * only its limits were changed, for what is ordered of it next.
 */
export async function resumeStopped(session: Session, batch: string, trustsHome: boolean): Promise<boolean> {
  const known = await knownBatch(session, batch);
  await refuseStrangeHome(known, trustsHome);
  await refuseLimits(known, givenTo(session, await readBatchOrder(known.access.home, batch)));
  // What it let go on would be paid for, and could not be stored.
  const full = await fullDisk(session, known.out);
  if (full !== undefined) throw new UserError(`${full}; nothing was changed`, EXIT.configuration);
  const work = await resumeWork(session);
  try {
    const goesOn = await goOn(known, work);
    if (goesOn) await tellCancelStands(known);
    if (goesOn) await tellHeldAccount(known, work);
    return goesOn;
  } finally {
    await work.close();
  }
}

async function goOn(known: KnownBatch, work: WorkAccess): Promise<boolean> {
  const { session, access, batch } = known;
  const { home } = access;
  // Before anything is changed: what is refused leaves a pause and a reason to stop as they are.
  await refuseSharedRpm(known, work);
  const stopped = await stoppedReason(home, batch);
  const isRunning = (await createBatchSource(known, work).state()).state === 'running';
  const terms = await readBatchOrder(home, batch);
  const given = givenTo(session, terms);
  const before = terms?.limits ?? given;
  const limits = givenLimits(given, before);
  const isLeft = (await stoppedEarly(known)) || (await hasOpenRows(known)) || (await waitsForOutput(known));
  // Rows that left the manifest are in no count.
  if (!isRunning && !isLeft && (await carryOut(known, work))) return true;
  if (!isRunning && !isLeft) await refuseSampled(known);
  if (!isRunning && stopped === 'budget_reached') await refuseSameBudget(known, limits, before);
  const runAgain = async (): Promise<true> => {
    await clearStopped(home, batch);
    const retry = keptRetry(terms, known.generation.generation);
    await submitBatch(known, work, { ...supplyOf(known), retry }, terms && { limits, policy: terms.policy });
    return true;
  };
  if (!isRunning && isLeft) return runAgain();
  if (!isRunning && ownLimits(session).length > 0) {
    await orderLimits(known, given);
    return false;
  }
  await orderPause(home, batch, false);
  if (isRunning) {
    await orderLimits(known, given);
    await orderRpm(known, work, false);
    await clearStopped(home, batch);
    if (!(await signalLimits(known, work, given))) return runAgain();
    await tellLimits(session, work);
  }
  await signalRunning(known, work, resumeBatch);
  await carryOut(known, work);
  return true;
}

function givenTo(session: Session, order: BatchOrder | undefined): BatchLimits {
  return goingLimits(session, order?.isDamaged ? undefined : order?.limits);
}

/** Tells a batch that runs what it may cost and lets it go on; false where it has ended meanwhile, by its own stop. */
export async function signalLimits({ access: { home }, batch }: KnownBatch, work: WorkAccess, limits: BatchLimits) {
  const handle = work.temporal.client.workflow.getHandle(batchId(home.account, batch));
  const order = { ...limits, lifted: await liftedStops(home, batch) };
  return (await absentIsUndefined(() => handle.signal(setBudget, order).then(() => true))) ?? false;
}

/** With the prices that the limits were judged by, where some are given. */
export async function orderLimits(
  { session, access, batch, generation }: KnownBatch,
  given: BatchLimits,
): Promise<void> {
  await changeBatchOrder(access.home, batch, async (order) => {
    if (order === undefined) return undefined;
    const wished = givenLimits(given, order.limits);
    const limits = await approvedLimits(access.home, batch, generation.generation, wished);
    const isGiven = Object.values(given).some((limit) => limit !== null);
    return isGiven ? withPrices(session, withLimits(order, limits)) : withLimits(order, limits);
  });
}
