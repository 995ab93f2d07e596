import { ActivityFailure, ApplicationFailure, patched } from '@temporalio/workflow';
import type { RecoverResult } from '../src/contract/recover.js';
import type { Granted, Holder, JobKey, SemaphoreInput, SemaphoreState } from '../src/contract/semaphore.js';
import { defined } from '../src/domain/defined.js';
import { review } from './account-pauses.js';
import { sameJob } from './cap.js';
import { noteReached } from './curbs.js';
import { nameHeirs } from './heirs.js';
import type { Grant } from './permits.js';
import * as permits from './permits.js';
import { accountProxy, homeProxy, localProxy, routineReadProxy } from './proxies.js';
import { takeTerms, unknownBatches } from './shares.js';

/** As the run before left it; a run that an earlier build began goes on by its rules. */
export function openState({
  state: kept,
  timeScale,
  countsHeld,
  forgives,
}: SemaphoreInput): SemaphoreState & Required<Pick<SemaphoreState, 'dueMs'>> {
  const state = kept ?? permits.newPermits(30_000 / timeScale, Date.now(), timeScale);
  if (countsHeld) state.countsHeld = true;
  if (forgives) state.forgives = true;
  return Object.assign(state, { dueMs: state.dueMs ?? {} });
}

/**
 * What the semaphore reads of the account, and its look at a home that could not be written. A read that fails stops
 * nothing: caps and prices stay as they were, it is made again when it is due next, and the view says since when.
 */
export interface AccountWatch {
  /** Balance and caps. */
  readCaps(): Promise<void>;
  readDiscounts(): Promise<void>;
  /** While a job found that the home cannot be written: lifts its pause once the home can be. */
  probeRecords(): void;
  /** Reads from the home how batches that are new here share the slots, and after an order all of it. */
  learnLimits(): void;
}

/** Bounds what one read asks and brings. */
const LEARNED_MAX = 200;

export function openAccountWatch(
  { account, timeScale }: SemaphoreInput,
  state: SemaphoreState,
  touch: () => void,
): AccountWatch {
  const reads = routineReadProxy(account);
  const underWay = new Map<keyof SemaphoreState['unread'], Promise<void>>();
  let isProbing = false;
  let isLearning = false;

  return {
    readCaps: () => once('credits', readCaps),
    readDiscounts: () => once('discounts', () => reads.readDiscounts()),
    probeRecords() {
      if (isProbing || !state.pauses.some(({ reason }) => reason === 'records')) return;
      isProbing = true;
      void homeProxy(account)
        .probeRecords()
        .then(() => {
          permits.resume(state, { reason: 'records' });
          isProbing = false;
          touch();
        });
    },
    learnLimits() {
      const { shares, limitsDue } = state;
      const isOrdered = limitsDue !== undefined;
      const asked = isOrdered ? [...unknownBatches(state), ...Object.keys(shares)] : unknownBatches(state);
      if (isLearning || (asked.length === 0 && !isOrdered)) return;
      isLearning = true;
      void learn(asked).then(() => {
        isLearning = false;
        // An order that came meanwhile is read by itself.
        if (state.limitsDue === limitsDue) delete state.limitsDue;
        touch();
      });
    },
  };

  async function learn(asked: string[]): Promise<void> {
    const [some, rest] = [asked.slice(0, LEARNED_MAX), asked.slice(LEARNED_MAX)];
    const { concurrent, batches } = await homeProxy(account).readLimits({ batches: some });
    state.planCap = concurrent ?? state.planCap;
    takeTerms(state, batches, Date.now());
    if (rest.length > 0 && patched('limits-of-all')) await learn(rest);
  }

  function once(what: keyof SemaphoreState['unread'], read: () => Promise<void>): Promise<void> {
    const known = underWay.get(what);
    if (known !== undefined) return known;
    const task = tried(what, read);
    underWay.set(what, task);
    return task;
  }

  async function tried(what: keyof SemaphoreState['unread'], read: () => Promise<void>): Promise<void> {
    try {
      await read();
      delete state.unread[what];
    } catch (error) {
      state.unread[what] ??= Date.now();
      if (isKeyRefused(error)) permits.pause(state, { reason: 'key' }, Date.now());
    } finally {
      underWay.delete(what);
      touch();
    }
  }

  async function readCaps(): Promise<void> {
    const reading = await reads.readAccount({ maxAgeMs: 10_000 / timeScale });
    state.planCap = reading.concurrent;
    review(state, reading, () => patched('bought-less-than-needed'));
  }
}

function isKeyRefused(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'service.key-refused';
}

// ---- who holds slots, as the home knows it: after a wiped server, and where a job ended without a word ----

/** So many holders are asked after at once. */
const SWEPT_MAX = 20;

/** Takes every open attempt of the ledger for a holder, before the first grant. */
export async function recover(account: string, state: SemaphoreState): Promise<void> {
  for (let cursor: RecoverResult['next'] = 0; cursor !== null; ) {
    const page: RecoverResult = await homeProxy(account).recoverOpen({ from: cursor });
    for (const found of page.holders) permits.recover(state, found);
    state.breakers.push(...(page.breakers ?? []));
    // As the account was last seen: a service that does not answer now keeps nobody from going on.
    state.planCap = page.concurrent ?? state.planCap;
    cursor = page.next;
  }
}

/** Frees the slots of jobs that are gone and have nothing at the service; each sweep asks after the next holders. */
export async function sweep(account: string, state: SemaphoreState): Promise<void> {
  await freeGone(
    account,
    state,
    nextToSweep(state).map((holder) => holder.job),
  );
}

/**
 * What a job that is gone left at the service, the ledger says; one that ended has said itself how long its slot is held.
 * True where the ledger was asked.
 */
export async function lookAfter(account: string, state: SemaphoreState, grant: number): Promise<boolean> {
  const holder = state.holders.find((h) => h.grant === grant && h.releaseAtMs === undefined);
  if (holder) await freeGone(account, state, [holder.job]);
  return holder !== undefined;
}

async function freeGone(account: string, state: SemaphoreState, jobs: JobKey[]): Promise<void> {
  for (const { job, action } of await homeProxy(account).sweepHolders({ jobs })) {
    const holder = state.holders.find((h) => sameJob(h.job, job) && h.releaseAtMs === undefined);
    if (holder && action === 'free') permits.release(state, { grant: holder.grant }, Date.now());
  }
}

/** Those that no time frees by itself, from the one after the last that was asked after, round and round. */
export function nextToSweep(state: SemaphoreState): Holder[] {
  const { holders, sweptGrant = 0 } = state;
  const asked = holders.filter((h) => h.releaseAtMs === undefined).sort((a, b) => a.grant - b.grant);
  const turn = asked.findIndex((h) => h.grant > sweptGrant);
  const next = (turn < 0 ? asked : [...asked.slice(turn), ...asked.slice(0, turn)]).slice(0, SWEPT_MAX);
  state.sweptGrant = next.at(-1)?.grant ?? 0;
  return next;
}

/**
 * Tells a job its grant; false when no such job runs and nothing was done about that. The worker itself signals: a signal
 * of the workflow would come back as an event, and with it one more workflow task for each grant.
 */
export function tellGrant({ job, standsBy }: Grant, message: Granted, isFresh: boolean): Promise<boolean> {
  return localProxy().tellGrant({ job, message, ...defined({ standsBy }), ...(isFresh ? { isFresh } : {}) });
}

/** Tells the worker who is next, where that has changed. A run that an earlier build began tells nobody. */
export async function tellHeirs({ namesHeirs }: SemaphoreInput, state: SemaphoreState): Promise<void> {
  const named = namesHeirs ? nameHeirs(state, Date.now()) : undefined;
  if (named !== undefined) await localProxy().nameHeirs(named);
}

/** Nothing can be sent. */
export function isCutOff(state: SemaphoreState): boolean {
  return state.pauses.some(({ reason }) => reason === 'network');
}

/** Nothing is claimed while nothing can be sent: a free read tries until it is answered, whatever it is told. */
export async function waitForNetwork(account: string, state: SemaphoreState): Promise<void> {
  await accountProxy(account, 'routine').reachService();
  noteReached(state);
}
