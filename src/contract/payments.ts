import type { CreditsNano } from '../domain/money.js';
import type { AttemptInput, SubmitResult } from './activities.js';

/** Paying for a row again although attempt `n` of it may have been billed: what is asked of the home. */

export interface ReserveInput extends AttemptInput {
  /** The policy `always`, or `sync.maxWaste`. */
  cause: 'always' | 'sync';
  /** The most that the batch may pay twice in all. */
  wasteMaxNano: CreditsNano;
}

export type ReserveResult =
  /** `upToNano`: the most that the payment can be; null only for a person's order, where no price is known. */
  | { outcome: 'reserved'; upToNano: CreditsNano | null }
  /** The row was paid again before, its price is unknown, above the limit, or more than what is left of it. */
  | { outcome: 'refused' }
  | { outcome: 'standing'; result: SubmitResult };

export type OverrideInput = Omit<ReserveInput, 'wasteMaxNano'>;

export type OverrideResult = { outcome: 'granted' } | { outcome: 'standing'; result: SubmitResult };
