import type { CreditsNano, CreditsRange } from '../domain/money.js';

/** One reading of the account's balance. */
export interface Checkpoint {
  /** When it was asked for: it shows the balance of some moment since then. Absent = the same as `atMs`. */
  askedMs?: number | undefined;
  atMs: number;
  balanceNano: CreditsNano;
}

/** When a family charges (design: the credits check); `unknown` = anywhere from submit to completion. */
export type ChargeTiming = 'at-success' | 'at-submit' | 'at-completion' | 'unknown';

/**
 * What a known attempt did, or may do, to the balance. Nothing before `fromMs`; at `toMs` (null = still open) it is
 * settled at `[lo, hi]`; between the two anything from 0 to `peak` can be charged. `null` = without bound. A refund is
 * a charge of a negative amount.
 */
export interface Charge {
  fromMs: number;
  toMs: number | null;
  lo: CreditsNano;
  hi: CreditsNano | null;
  /** The most that can be charged before it is settled: a reservation may be refunded. */
  peak: CreditsNano | null;
}

/** One ambiguous attempt. Times are epoch ms, waits already scaled. */
export interface CaseFacts {
  /** `batch/id/n`: tells cases apart. */
  name: string;
  /** When the attempt was claimed: nothing can have been billed before. */
  claimedAtMs: number;
  /** When we gave up on the answer. */
  gaveUpAtMs: number;
  flow: 'sync' | 'async';
  charge: ChargeTiming;
  /** What this attempt would cost, discount applied; null = no price known. */
  expected: CreditsRange | null;
  /** The longest render. */
  renderMaxMs: number;
  /** The longest that a synchronous call can still run after it was sent. */
  syncMaxMs: number;
}

/** What is known of the account while a case is weighed. */
export interface AccountEvidence {
  nowMs: number;
  /** The account is used by nobody else. */
  exclusive: boolean;
  /** Θ: how late a job can be created after we gave up. */
  thetaMs: number;
  /** Λ: how late the balance can be. */
  lambdaMs: number;
  /** Ascending, from some time before the claim on. */
  checkpoints: Checkpoint[];
  /** Every attempt of the account but the open cases that may have moved the balance since the first checkpoint. */
  charges: Charge[];
}

/** Everything that the verdict on one ambiguous attempt rests on. */
export interface SettleEvidence extends AccountEvidence {
  /** The case that is to be settled. */
  subject: CaseFacts;
  /** The account's other open cases: each may or may not have been billed as well. */
  rivals: CaseFacts[];
}
