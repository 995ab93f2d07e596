import type { CreditsNano } from './money.js';

/** What a batch may cost and how much of it may go wrong before it stops by itself. */
export interface BatchLimits {
  /** Over the batch's whole life; null = without bound. */
  maxCreditsNano: CreditsNano | null;
  /** Rows that may end without their output, as a number or as percent of all rows; null = any. */
  maxFailures: FailureLimit | null;
}

export type FailureLimit = { rows: number } | { percent: number };

/** Why a batch stopped by itself; rows that it did not start have this as their reason. */
export type StopReason = 'budget_reached' | 'too_many_failures';

/** Reads `5` or `10%`; undefined for anything else. */
export function parseFailureLimit(text: string): FailureLimit | undefined {
  const match = /^(\d{1,7})(%?)$/.exec(text);
  if (!match) return undefined;
  const value = Number(match[1]);
  if (match[2] === '') return { rows: value };
  return value <= 100 ? { percent: value } : undefined;
}
