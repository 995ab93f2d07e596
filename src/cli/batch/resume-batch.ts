import { resumeBatch, setBudget } from '../../contract/messages.js';
import { batchId } from '../../contract/names.js';
import type { BatchLimits } from '../../domain/batch.js';
import { formatCredits } from '../../domain/money.js';
import { clearStopped, sampleInForce, stoppedReason } from '../../home/batch-marks.js';
import { orderPause, readBatchOrder, writeBatchOrder } from '../../home/batch-order.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { resumeWork, startWork, type WorkAccess } from '../access/work-access.js';
import { commandHint } from '../open-session.js';
import { decidedRows, wakeRows } from '../review/continue-rows.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { createBatchSource, signalRunning } from './batch-source.js';
import { batchTally, finalRows } from './batch-tally.js';
import { type KnownBatch, knownBatch, markAsOwn, otherHomeText, outOf, refuseOtherHome } from './known-batch.js';
import { fullDisk } from './prove-places.js';
import { tryRefusedKey } from './refused-key.js';
import { approvedLimits, givenLimits, limitsOf, submitBatch } from './submit-batch.js';

export interface Resumed {
  /** Handed to a workflow again. */
  resumed: string[];
  /** They run by themselves once the engine does. */
  running: string[];
  /** Run by an older build, so that nobody knows what they may cost: they want a command of their own. */
  left: string[];
  /** Run from another home, or from a later state of this one: not gone on with, and paused where they run. */
  otherHome: string[];
}

/** Goes on with every batch of the account that has open rows, after a reboot or a stop. Nothing is asked or retried. */
export async function resumeAll(session: Session, trustsHome: boolean): Promise<Resumed> {
  const access = openHomeAccess(session.config);
  const otherHome = await otherHomes(access, trustsHome);
  const done: Resumed = { resumed: [], running: [], left: [], otherHome };
  // The engine before the others: what it knows goes on at once.
  const work = await startWork(session);
  try {
    for (const batch of await access.home.batches()) {
      if (otherHome.includes(batch)) continue;
      const source = createBatchSource({ access, batch, work, connect: async () => work });
      if ((await source.state()).state === 'running') {
        done.running.push(batch);
        await carryOut(session, access, work, await knownBatch(session, access, batch));
        continue;
      }
      const current = await access.rows.currentGeneration(batch);
      const facts = current === undefined ? undefined : await access.rows.generation(batch, current);
      if (facts === undefined || !(await hasOpenRows(access, batch, facts.generation))) continue;
      const { generation, rows } = facts;
      const terms = await readBatchOrder(access.home, batch);
      const order = { batch, generation, rows, retry: null, retries: 0 };
      if (terms !== undefined) await submitBatch(session, work, order, terms);
      (terms === undefined ? done.left : done.resumed).push(batch);
    }
    const [first] = [...done.running, ...done.resumed];
    const stillRefused = first === undefined ? undefined : await tryRefusedKey(session, work, first);
    if (stillRefused !== undefined) throw new UserError(stillRefused, EXIT.configuration);
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
      continue;
    }
    await orderPause(access.home, batch, true);
    found.push(batch);
  }
  return found;
}

async function hasOpenRows(access: HomeAccess, batch: string, generation: string): Promise<boolean> {
  return (await batchTally(access, batch, generation)).open > 0;
}

/**
 * Lets a batch go on: one that is paused, one that stopped for its budget or its failures, with new limits, and one
 * that nothing works on any more or that still waits for a paid output.
 */
export async function resumeStopped(session: Session, batch: string, trustsHome: boolean): Promise<void> {
  const access = openHomeAccess(session.config);
  const known = await knownBatch(session, access, batch);
  const { generation } = known;
  await refuseOtherHome(session, access, batch, trustsHome);
  await refuseAboveApproval(access, batch, generation.generation, limitsOf(session));
  await refuseFullDisk(session, await outOf(access, batch));
  const work = await resumeWork(session);
  try {
    await goOn(session, access, work, known);
    const stillRefused = await tryRefusedKey(session, work, batch);
    if (stillRefused !== undefined) throw new UserError(stillRefused, EXIT.configuration);
  } finally {
    await work.close();
  }
}

/** What it let go on would be paid for, and could not be stored. */
async function refuseFullDisk(session: Session, out: string): Promise<void> {
  const full = await fullDisk(session, out);
  if (full !== undefined) throw new UserError(`${full}; nothing was changed`, EXIT.configuration);
}

async function goOn(session: Session, access: HomeAccess, work: WorkAccess, known: KnownBatch): Promise<void> {
  const { batch, generation } = known;
  const source = createBatchSource({ access, batch, work, connect: () => resumeWork(session) });
  const stopped = await stoppedReason(access.home, batch);
  const isRunning = (await source.state()).state === 'running';
  await clearStopped(access.home, batch);
  const isLeft =
    stopped !== undefined ||
    (await hasOpenRows(access, batch, generation.generation)) ||
    (await waitsForOutput(access, batch, generation.generation));
  if (!isRunning && isLeft) {
    const order = { batch, generation: generation.generation, rows: generation.rows, retry: null, retries: 0 };
    const terms = await readBatchOrder(access.home, batch);
    if (terms === undefined) return submitBatch(session, work, order);
    const limits = givenLimits(limitsOf(session), terms.limits);
    return submitBatch(session, work, order, { limits, policy: terms.policy });
  }
  if (!isRunning) await refuseSampled(session, access, batch, generation.generation);
  await orderPause(access.home, batch, false);
  if (isRunning) {
    await orderLimits(access, batch, generation.generation, limitsOf(session));
    const handle = work.temporal.client.workflow.getHandle(batchId(session.config.account.name, batch));
    await handle.signal(setBudget, limitsOf(session));
  }
  await signalRunning(session, work, batch, resumeBatch);
  await carryOut(session, access, work, known);
}

/** What was decided about rows while no engine ran. */
async function carryOut(session: Session, access: HomeAccess, work: WorkAccess, known: KnownBatch): Promise<void> {
  await wakeRows(session, work, { ...known, refs: await decidedRows(access, known) });
}

/** Nothing of its sample is left to go on with, and the rest is not what `resume` was asked for. */
async function refuseSampled(session: Session, { home }: HomeAccess, batch: string, generation: string): Promise<void> {
  if ((await sampleInForce(home, batch, generation)) === undefined) return;
  throw new UserError(
    `the sample of '${batch}' has ended and the rest waits for your approval: \`${commandHint(session, `approve ${batch}`)}\` shows what it costs and runs it; nothing was submitted`,
  );
}

/** More credits than were approved after a sample are asked for again. */
async function refuseAboveApproval(
  { home }: HomeAccess,
  batch: string,
  generation: string,
  given: BatchLimits,
): Promise<void> {
  const { maxCreditsNano } = await approvedLimits(home, batch, generation, given);
  if (given.maxCreditsNano === null || given.maxCreditsNano === maxCreditsNano || maxCreditsNano === null) return;
  throw new UserError(
    `'${batch}' was approved for up to ${formatCredits(maxCreditsNano)} credits: \`callsheet approve ${batch} --max-credits ${formatCredits(given.maxCreditsNano)}\` asks again; nothing was submitted`,
  );
}

async function orderLimits({ home }: HomeAccess, batch: string, generation: string, given: BatchLimits): Promise<void> {
  const order = await readBatchOrder(home, batch);
  if (order === undefined) return;
  const limits = await approvedLimits(home, batch, generation, givenLimits(given, order.limits));
  await writeBatchOrder(home, batch, { ...order, limits });
}

/** True when a paid output is still to be fetched: a server that was wiped knows nothing of it. */
async function waitsForOutput(access: HomeAccess, batch: string, generation: string): Promise<boolean> {
  for await (const { record } of finalRows(access, batch, generation)) {
    if (record?.reasonCode === 'output_pending') return true;
  }
  return false;
}
