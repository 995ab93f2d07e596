import type { CreditsNano } from '../domain/money.js';

/** What the semaphore of an account knows and is asked. */

/** Names a job to the semaphore. */
export interface JobKey {
  batch: string;
  id: string;
}

export interface SemaphoreInput {
  account: string;
  timeScale: number;
  /** Events after which a run hands over to the next; far below the server's limit when not given. */
  eventsMax?: number;
  state?: SemaphoreState;
}

export interface Holder {
  job: JobKey;
  grant: number;
  kind: number;
  sinceMs: number;
  phase: 'granted' | 'submitted' | 'held';
  /** Set when the job ended without an answer: the slot goes back by itself then. */
  releaseAtMs?: number;
}

export interface Waiting {
  job: JobKey;
  kind: number;
  sinceMs: number;
}

export interface PauseReason {
  /**
   * `key` = the key is refused, `credits` = the balance is too low, `user` = the batch's own pause, `records` = the home
   * cannot be written, `outputs` = finished files of the batch cannot be stored.
   */
  reason: 'key' | 'credits' | 'user' | 'records' | 'outputs';
  batch?: string;
  sinceMs: number;
  /** For `credits`: what the service said is needed, when it did. */
  needNano?: CreditsNano;
  /** For `credits`: the balance at the time, when known. */
  balanceNano?: CreditsNano;
}

/** What the semaphore carries from one run to the next. */
export interface SemaphoreState {
  /** After a foreign refusal the cap climbs back by one per this time. */
  climbMs: number;
  planCap: number;
  /** Lowered after the service refused a job although slots were free by our count. */
  foreign: { cap: number; sinceMs: number } | null;
  nextGrant: number;
  holders: Holder[];
  waiting: Waiting[];
  lastBatch: string;
  lastReleaseMs: number;
  pauses: PauseReason[];
  renderTimesMs: Record<string, number[]>;
}

export interface SemaphoreView {
  planCap: number;
  effectiveCap: number;
  holders: Holder[];
  waiting: number;
  pauses: PauseReason[];
  ready: boolean;
}

/**
 * A slot given back. `notBeforeMs` keeps it until then (no answer, so it may still run);
 * `renderMs` feeds the expected render times; `overCap` says that the service refused the job for its own count.
 */
export interface Release {
  grant: number;
  notBeforeMs?: number;
  renderMs?: number;
  overCap?: boolean;
}

export interface RecoverResult {
  holders: RecoveredHolder[];
  /** Where to go on, or null at the end. */
  next: number | null;
}

/** What to do with a holder that was asked after: leave it, free its slot, or hold it until a time. */
export type SweepAction = { job: JobKey; action: 'keep' } | { job: JobKey; action: 'free' };

export interface RecoveredHolder {
  job: JobKey;
  kind: number;
  sinceMs: number;
  n: number;
  /** For a row that ended without an answer: its slot goes back by itself then. */
  releaseAtMs?: number;
}
