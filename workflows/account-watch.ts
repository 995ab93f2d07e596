import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { SemaphoreInput, SemaphoreState } from '../src/contract/semaphore.js';
import * as accountPauses from './account-pauses.js';
import * as permits from './permits.js';
import { homeProxy, routineReadProxy } from './proxies.js';
import { takeTerms, unknownBatches } from './shares.js';

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
      void learn(asked.slice(0, LEARNED_MAX)).then(() => {
        isLearning = false;
        // An order that came meanwhile is read by itself.
        if (state.limitsDue === limitsDue) delete state.limitsDue;
        touch();
      });
    },
  };

  async function learn(asked: string[]): Promise<void> {
    const { concurrent, batches } = await homeProxy(account).readLimits({ batches: asked });
    state.planCap = concurrent ?? state.planCap;
    takeTerms(state, batches);
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
    accountPauses.review(state, reading);
  }
}

function isKeyRefused(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'service.key-refused';
}
