import type { CreditsNano, CreditsRange } from '../domain/money.js';

/** One reading of the account's balance. */
export interface Checkpoint {
  atMs: number;
  balanceNano: CreditsNano;
}

/**
 * What another attempt did, or may do, to the balance. Nothing before `fromMs`; at `toMs` (null = still open) it is
 * settled at `[lo, hi]`; between the two anything from 0 to `peak` can be charged. `null` = without bound.
 */
export interface Charge {
  fromMs: number;
  toMs: number | null;
  lo: CreditsNano;
  hi: CreditsNano | null;
  /** The most that can be charged before it is settled: a reservation may be refunded. */
  peak: CreditsNano | null;
}

/** Everything that the verdict on one ambiguous attempt rests on. Times are epoch ms, waits already scaled. */
export interface CaseEvidence {
  nowMs: number;
  /** When the attempt was claimed: nothing can have been billed before. */
  claimedAtMs: number;
  /** When we gave up on the answer. */
  gaveUpAtMs: number;
  flow: 'sync' | 'async';
  /** When the family charges. */
  charge: 'at-success' | 'at-submit' | 'at-completion' | 'unknown';
  /** The account is used by nobody else. */
  exclusive: boolean;
  /** What this attempt would cost, discount applied; null = no price known. */
  expected: CreditsRange | null;
  /** How late a job can be created after we gave up. */
  thetaMs: number;
  /** How late the balance can be. */
  lambdaMs: number;
  /** The longest render. */
  renderMaxMs: number;
  /** The longest that a synchronous call can still run after it was sent. */
  syncMaxMs: number;
  /** Ascending, from some time before the claim on. */
  checkpoints: Checkpoint[];
  /** All other attempts of the account that may have moved the balance since the first checkpoint. */
  others: Charge[];
}
