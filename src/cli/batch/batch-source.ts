import { setTimeout as sleep } from 'node:timers/promises';
import type { SignalDefinition } from '@temporalio/client';
import { resumeGrants } from '../../contract/messages.js';
import { batchId, semaphoreId } from '../../contract/names.js';
import type { SemaphoreView } from '../../contract/semaphore-view.js';
import type { BatchProgress } from '../../contract/workflows.js';
import type { CreditsNano } from '../../domain/money.js';
import { noCounts } from '../../domain/outcome.js';
import { absentIsUndefined, type BatchState, batchState, progressOf, slotsOf } from '../../temporal/look.js';
import type { BatchPlace } from '../access/home-access.js';
import { readThroughQueue } from '../access/queued-read.js';
import { KeyRefusedError } from '../access/read-account.js';
import { joinWork, type WorkAccess } from '../access/work-access.js';
import { commandHint, orderWords } from '../open-session.js';
import { createFileInWay, shownProgress } from '../plan/file-in-way.js';
import { EXIT, UserError } from '../user-error.js';
import { askOrRefuse } from './known-batch.js';

/** Where a follower looks: each look may throw while the engine or the network is away. */
export interface BatchSource {
  /** Undefined when no such batch was ever started on this server. */
  progress(): Promise<BatchProgress | undefined>;
  slots(): Promise<SemaphoreView | undefined>;
  /** The balance as the worker last read it. */
  balance(): Promise<CreditsNano | undefined>;
  /** How the batch's workflow stands. */
  state(): Promise<BatchState>;
  /** True when the engine ended, though its server may still take questions that nobody answers. */
  isGone(): Promise<boolean>;
  /** Connects anew, which starts a lost engine again. */
  reconnect(): Promise<void>;
}

/** Looks at a batch through a Temporal client. `current()` is the connection to close in the end. */
export function createBatchSource(
  { access, batch }: Pick<BatchPlace, 'access' | 'batch'>,
  work: WorkAccess,
  connect: () => Promise<WorkAccess> = async () => work,
  isGone: () => Promise<boolean> = async () => false,
): BatchSource & { current(): WorkAccess } {
  const { account } = access.home;
  const inWay = createFileInWay(access, batch);
  let current = work;
  const client = () => current.temporal.client;
  return {
    current: () => current,
    progress: async () => {
      const seen = await progressOf(client(), account, batch);
      return seen && shownProgress(seen, inWay);
    },
    slots: () => slotsOf(client(), account),
    balance: async () => (await access.home.latestCheckpoint())?.balanceNano,
    state: async () => {
      const seen = await batchState(client(), account, batch);
      // An older build did not count every status.
      if (seen.state !== 'ended') return seen;
      return { ...seen, result: { ...seen.result, counts: { ...noCounts(), ...seen.result.counts } } };
    },
    isGone,
    reconnect: async () => {
      await current.close().catch(() => undefined);
      current = await connect();
    },
  };
}

/** Errors of the connection, which pass; everything else is a defect. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const names = ['ServiceError', 'TransportError', 'QueryNotRegisteredError', 'StoreError', 'EngineError'];
  return names.includes(error.name) || 'code' in error || error.name.startsWith('Temporal');
}

/** What the work gives; undefined when an outage kept it from giving anything. */
export async function unlessOutage<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isOutage(error)) throw error;
    return undefined;
  }
}

/** A look that takes longer, ms, may wait for an engine that is not there any more. */
const HANGS_AFTER_MS = 1_000;

/** The engine has ended: no use to wait for it. */
export class EngineGone extends Error {
  override readonly name = 'EngineError';
}

/** What the look gives, unless the engine ends while it waits for an answer. */
export async function unlessGone<T>(source: BatchSource, look: Promise<T>): Promise<T> {
  const over = new AbortController();
  const gone = async (): Promise<never> => {
    do await sleep(HANGS_AFTER_MS, undefined, { signal: over.signal, ref: false });
    while ((await unlessOutage(source.isGone())) !== true);
    throw new EngineGone('the engine ended');
  };
  try {
    return await Promise.race([look, gone()]);
  } finally {
    over.abort();
  }
}

/** Of an order that keeps a batch from submitting. */
export const UNHEARD = 'Temporal does not answer: the order stands in the home, and nothing of the batch is submitted';

/** Connects anew, as far as that goes; says so where a person has ended the engine. */
export async function reconnect(source: BatchSource): Promise<'stopped' | undefined> {
  try {
    await source.reconnect();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'stopped_by_order') return 'stopped';
    if (!isOutage(error)) throw error;
  }
  return undefined;
}

/** Whether the batch's workflow runs at the server. */
export async function isRunning(account: string, batch: string, { temporal }: WorkAccess): Promise<boolean> {
  const handle = temporal.client.workflow.getHandle(batchId(account, batch));
  return (await absentIsUndefined(() => handle.describe()))?.status.name === 'RUNNING';
}

/** For a batch that the home does not know: a Temporal that knows it tells of another home. */
export async function refuseForgottenBatch(at: BatchPlace, work: WorkAccess, trusts: boolean): Promise<void> {
  const { session, access, batch } = at;
  if (trusts || (await access.home.readBatch(batch)) !== undefined) return;
  if ((await createBatchSource(at, work).state()).state === 'absent') return;
  await askOrRefuse(session, `${session.config.home} knows nothing of '${batch}', and the Temporal server does`);
}

/** Sends an order to a batch that runs; throws a UserError when it does not. */
export async function signalRunning(
  { session, batch }: BatchPlace,
  work: WorkAccess,
  signal: SignalDefinition<[]>,
): Promise<void> {
  const handle = work.temporal.client.workflow.getHandle(batchId(session.config.account.name, batch));
  if ((await absentIsUndefined(async () => handle.signal(signal).then(() => true))) === true) return;
  const look = commandHint(session, orderWords('status', batch));
  throw new UserError(`batch '${batch}' does not run, so there is nothing to order; \`${look}\` shows it`, EXIT.usage);
}

/**
 * A key that was refused is not used again by itself while it is the same (I14). A person who orders a batch to go on
 * may know that it was unblocked: one free read with the worker's key decides, and its answer ends the account's pause
 * at once. Gives what to do where the key is still refused; undefined where it holds nothing back, or where nobody
 * answers who knows.
 */
export async function tryRefusedKey(at: BatchPlace, work: WorkAccess): Promise<string | undefined> {
  const { session, access, batch } = at;
  const source = createBatchSource(at, work);
  // Without a worker, as between two deployments, nothing answers: the order stands all the same.
  const slots = await unlessOutage(source.slots());
  if (slots === undefined || !slots.pauses.some(({ reason }) => reason === 'key')) return undefined;
  try {
    await readThroughQueue(work, access.home, 'credits');
  } catch (error) {
    if (!(error instanceof KeyRefusedError)) throw error;
    return stillRefused(work, commandHint(session, orderWords('resume', batch)));
  }
  const semaphore = work.temporal.client.workflow.getHandle(semaphoreId(session.config.account.name));
  await semaphore.signal(resumeGrants, { reason: 'key' });
  return undefined;
}

/** The same for whoever follows the batch: it was handed over, so that a read without an answer is told and no more. */
export async function refusedKeyTold(at: BatchPlace, work: WorkAccess): Promise<string | undefined> {
  try {
    return await unlessOutage(tryRefusedKey(at, work));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

function stillRefused({ isShared }: WorkAccess, resume: string): string {
  const another = isShared ? 'give the worker another one' : 'set another one in CALLSHEET_API_KEY or --api-key-file';
  return `the service still does not accept the API key, so nothing new is submitted: have it unblocked there, or ${another}, then \`${resume}\` goes on at once`;
}

/**
 * What works on a batch whose rows have all ended, while it writes the results; undefined where nothing does. Where nobody
 * can be asked, the home tells how the batch stands.
 */
export async function joinRunning(at: BatchPlace): Promise<WorkAccess | undefined> {
  const work = await joinWork(at.session).catch(() => undefined);
  if (work === undefined) return undefined;
  const state = await createBatchSource(at, work)
    .state()
    .catch(() => undefined);
  if (state?.state === 'running') return work;
  await work.close();
  return undefined;
}
