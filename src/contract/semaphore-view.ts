import type { SlotTerms } from '../domain/batch.js';
import type { Breaker } from '../domain/kind.js';
import type { Holder, Pace, PauseReason } from './semaphore.js';
import type { BatchProgress } from './workflows.js';

/** What others see of the semaphore. */

/** Why fewer jobs are granted than the plan allows, though nobody paused anything. */
export type Curb =
  /** Nothing is granted until then: the balance settles a lost answer. */
  | { curb: 'quiet'; untilMs: number }
  | ({ curb: 'breaker' } & Omit<Breaker, 'failures'>)
  /** Submits were turned away several times in a row: they wait until then. */
  | ({ curb: 'paced' } & Pick<Pace, 'cause' | 'route' | 'sinceMs' | 'untilMs'>)
  /** The account's balance and caps, or its discounts, cannot be read: they are taken as they were. */
  | { curb: 'unread'; what: 'credits' | 'discounts'; sinceMs: number }
  /** Someone else seems to run jobs on this account. */
  | { curb: 'foreign'; cap: number; sinceMs: number };

export interface SemaphoreView {
  planCap: number;
  effectiveCap: number;
  holders: Holder[];
  waiting: number;
  pauses: PauseReason[];
  curbs: Curb[];
  ready: boolean;
  /** The batches that have slots or wait for some. */
  batches: BatchSlots[];
}

/** A batch as the semaphore sees it. */
export interface BatchSlots extends SlotTerms {
  batch: string;
  held: number;
  waiting: number;
}

/** What the home says of the slots: the account's cap where one was ever read, and the terms of batches. */
export interface LimitsResult {
  concurrent?: number;
  batches: ({ batch: string } & SlotTerms)[];
}

/** A batch that runs, as whoever looks sees it. */
export interface RunningBatch {
  progress: BatchProgress;
  /** Undefined where the account has no semaphore. */
  slots: SemaphoreView | undefined;
}
