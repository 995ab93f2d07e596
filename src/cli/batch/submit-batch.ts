import type { SignalDefinition } from '@temporalio/client';
import { batchProgress, limitsOrdered, resumeGrants, supply } from '../../contract/messages.js';
import { batchId, semaphoreId, taskQueues, WORKFLOW_MEMO } from '../../contract/names.js';
import type { BatchInput, BatchResult, RetryOrder } from '../../contract/workflows.js';
import { DEFAULT_SLOT_TERMS, type SlotTerms } from '../../domain/batch.js';
import { liftedStops } from '../../home/batch-marks.js';
import { type BatchOrder, changeBatchOrder, orderPause, readBatchOrder } from '../../home/batch-order.js';
import { markOf } from '../../home/notices.js';
import { absentIsUndefined } from '../../temporal/look.js';
import { type BatchPlace, pricesInForce } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { sharedAddress } from '../access/work-place.js';
import type { Session } from '../session.js';
import { orderRpm } from './batch-rpm.js';
import { isRunning } from './batch-source.js';
import {
  approvedLimits,
  type BatchTerms,
  bothRetries,
  givenLimits,
  keptRetry,
  termsOf,
  withLimits,
} from './batch-terms.js';

/** Hands a generation of rows to the batch's workflow, which is started when it does not run. */

export interface BatchSupply {
  generation: string;
  rows: number;
  retry: RetryOrder | null;
  /** New attempts for unbilled failed renders. */
  retries: number;
  /** Absent = as it was ordered before. */
  isBreadthFirst?: boolean | undefined;
  /** How the batch shares the slots, where it begins anew; other commands leave it as it was ordered. */
  slots?: Partial<SlotTerms>;
}

/** With the terms of the command, or those that the batch was run with before. */
export async function submitBatch(
  at: BatchPlace,
  work: WorkAccess,
  given: BatchSupply,
  terms = termsOf(at.session, given.retries),
): Promise<void> {
  const { session, batch } = at;
  const { home } = at.access;
  const { generation, rows, retry } = given;
  await endOldPause(at, work);
  const runs = await isRunning(home.account, batch, work);
  let [isNew, order]: [boolean, BatchOrder] = [true, terms];
  // The order first: no row goes further than what stands there.
  await changeBatchOrder(home, batch, async (before) => {
    const running = runs && !before?.isDamaged ? before : undefined;
    isNew = running === undefined;
    order = await nextOrder(at, given, terms, before, running);
    return order;
  });
  await orderRpm(at, work, isNew && given.slots !== undefined);
  const supplied = { generation, rows, retry, limits: order.limits, lifted: await liftedStops(home, batch) };
  await signalBatch(at, work, batchInput(at, order), supply, supplied);
  await tellLimits(session, work);
}

/** Hands a batch that its engine has forgotten to it once more, as it stands ordered: a paused one stays paused. */
export async function supplyAgain(at: BatchPlace, work: WorkAccess, given: BatchSupply): Promise<void> {
  const { home, rows } = at.access;
  const order = await readBatchOrder(home, at.batch);
  const generation = order?.generation ?? given.generation;
  const facts = await rows.generation(at.batch, generation);
  if (order === undefined || order.isDamaged || facts === undefined) return submitBatch(at, work, given);
  const retry = keptRetry(order, generation);
  const lifted = await liftedStops(home, at.batch);
  const supplied = { generation, rows: facts.rows, retry, limits: order.limits, lifted };
  await signalBatch(at, work, batchInput(at, order), supply, supplied);
}

/** Of a batch that has nothing to run: the command that began it says anew what a disk has damaged. */
export async function mendOrder(at: BatchPlace, given: BatchSupply): Promise<void> {
  const terms = termsOf(at.session, given.retries);
  await changeBatchOrder(at.access.home, at.batch, async (before) =>
    before?.isDamaged ? nextOrder(at, given, terms, before, undefined) : undefined,
  );
}

/** `running`: the order before, where the batch goes on with it. */
async function nextOrder(
  { session, batch, access: { home } }: BatchPlace,
  given: BatchSupply,
  terms: BatchTerms,
  before: BatchOrder | undefined,
  running: BatchOrder | undefined,
): Promise<BatchOrder> {
  const ordered = orderOf(given, terms, running);
  const slots = slotsOf(session, given, before?.slots, running !== undefined);
  const prices = pricesInForce(session, before);
  // On a shared Temporal its workers' own settings say who is told.
  const isShared = sharedAddress(session) !== undefined;
  const told = isShared ? {} : { notify: toldOf(session, given, before?.notify) };
  const { isBreadthFirst = before?.isBreadthFirst ?? false } = given;
  const limits = await approvedLimits(home, batch, given.generation, ordered.limits);
  return { ...ordered, slots, isBreadthFirst, ...(prices && { prices }), ...told, limits };
}

/** Hands an order to the batch's workflow, which is started for it where it does not run. */
export async function signalBatch<Order>(
  { access: { home }, batch }: BatchPlace,
  work: WorkAccess,
  input: BatchInput,
  signal: SignalDefinition<[Order]>,
  order: Order,
): Promise<void> {
  const { workflow } = work.temporal.client;
  const place = { workflowId: batchId(home.account, batch), taskQueue: taskQueues(home.account).home };
  type BatchWorkflow = (input: BatchInput) => Promise<BatchResult>;
  await workflow.signalWithStart<BatchWorkflow, [Order]>('batch', {
    ...{ ...place, args: [input], memo: WORKFLOW_MEMO },
    ...{ signal, signalArgs: [order] },
  });
}

/**
 * Marks of who is told of the batch: whom the command names, else who was told before. The settings file of a folder, in
 * which somebody may type `resume --all` by chance, takes no batch from whom it told: it counts where `run` begins one.
 */
export function toldOf(
  { config, origins }: Pick<Session, 'config' | 'origins'>,
  { slots }: Pick<BatchSupply, 'slots'>,
  before: readonly string[] = [],
): readonly string[] {
  const isHeard = slots !== undefined || before.length === 0 || origins.get('notify')?.name !== 'config file';
  return isHeard && config.notify.length > 0 ? config.notify.map(({ to }) => markOf(to)) : before;
}

/** What a batch that runs was ordered stays where the command says nothing; one that `run` begins anew has no other. */
function slotsOf(
  { config, origins }: Session,
  { slots }: BatchSupply,
  before: SlotTerms | undefined,
  isRunning: boolean,
): SlotTerms {
  const isOwn = origins.get('limits.concurrency')?.name === 'flag';
  const kept = isRunning || slots === undefined ? before : undefined;
  const own = isOwn ? { concurrency: config.limits.concurrency } : {};
  return { ...DEFAULT_SLOT_TERMS, ...kept, ...own, ...slots };
}

/** Tells the semaphore that the home says other limits; one that does not run reads them when it begins. */
export async function tellLimits({ config }: Session, { temporal }: Pick<WorkAccess, 'temporal'>): Promise<boolean> {
  const semaphore = temporal.client.workflow.getHandle(semaphoreId(config.account.name));
  return (await absentIsUndefined(() => semaphore.signal(limitsOrdered).then(() => true))) ?? false;
}

/** A batch that runs keeps what it was ordered, but for limits that are given and rows that are new. Pure. */
function orderOf(
  { generation, retry }: BatchSupply,
  { limits, policy }: BatchTerms,
  running: BatchOrder | undefined,
): BatchOrder {
  if (running === undefined) return { limits, policy, retry, generation };
  const isSame = running.generation === generation;
  return {
    ...withLimits(running, givenLimits(limits, running.limits)),
    retry: bothRetries(retry, (isSame && running.retry) || null),
    generation,
  };
}

/** A pause was meant for the run that it stopped: one that outlived its batch would hold the next run for ever. */
export async function endOldPause({ access: { home }, batch }: BatchPlace, work: WorkAccess): Promise<void> {
  if (await isRunning(home.account, batch, work)) return;
  await orderPause(home, batch, false);
  const semaphore = work.temporal.client.workflow.getHandle(semaphoreId(home.account));
  await absentIsUndefined(() => semaphore.signal(resumeGrants, { reason: 'user', batch }));
}

/** What a batch is started with; one that runs keeps what it has. */
export function batchInput(
  { session, batch }: BatchPlace,
  { policy, isBreadthFirst }: Pick<BatchOrder, 'policy' | 'isBreadthFirst'>,
): BatchInput {
  const { account, timeScale, waits } = session.config;
  const order = isBreadthFirst ? { isBreadthFirst } : {};
  return { account: account.name, batch, policy, timeScale, syncMaxMs: waits.syncMaxSeconds * 1_000, ...order };
}

/** The number of the last event that a batch told before now; 0 when it does not run. */
export async function lastEventSeq({ access: { home }, batch }: BatchPlace, work: WorkAccess): Promise<number> {
  try {
    if (!(await isRunning(home.account, batch, work))) return 0;
    const handle = work.temporal.client.workflow.getHandle(batchId(home.account, batch));
    return (await handle.query(batchProgress)).events.at(-1)?.seq ?? 0;
  } catch {
    // Not there, or not answering yet: rows that are told twice are told apart by their ids.
    return 0;
  }
}
