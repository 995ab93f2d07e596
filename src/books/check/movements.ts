import type { CreditsNano } from '../../domain/money.js';
import type { Movement } from './evidence.js';

/** When a family charges; `at-success` is a synchronous call, `unknown` = anywhere from submit to completion. */
export type ChargeTiming = 'at-success' | 'at-submit' | 'at-completion' | 'unknown';

/** How an attempt stands with the balance; `billed`, `undecided` and `not_billed` are verdicts on a lost answer. */
export type AttemptEnd = 'open' | 'charged' | 'unbilled' | 'billed' | 'undecided' | 'follow_up' | 'not_billed';

/** An attempt whose effect on the balance is known within bounds. Times are epoch ms. */
export interface KnownAttempt {
  timing: ChargeTiming;
  claimedAtMs: number;
  /** When the service's answer was there. */
  createdAtMs?: number | undefined;
  /** The latest poll that said it still runs: until then nothing of its end was booked. */
  runningAtMs?: number | undefined;
  end: AttemptEnd;
  /** When it ended, or when nothing new of it can come any more; null while open. */
  endedAtMs: number | null;
  /** `billed`: the reading that proved it. */
  seenAtMs?: number | undefined;
  /** `billed`: the balance still held it then: it can only have been given back since. */
  heldAtMs?: number | undefined;
  /** What it cost, or would cost where it did not end well. */
  lo: CreditsNano;
  hi: CreditsNano | null;
  /** `open`: how much of `hi` is charged after the job's end, where it is; null = nobody knows. */
  laterNano?: CreditsNano | null;
}

/** A known attempt as movements of the balance; a refund can be `rhoMs` later than the end it belongs to. */
export function movementsOf(known: KnownAttempt, rhoMs: number): Movement[] {
  const { timing, claimedAtMs, createdAtMs, runningAtMs, endedAtMs, lo, hi } = known;
  // Whoever charges at completion took nothing while it was seen running.
  const chargesFromMs = timing === 'at-completion' ? (runningAtMs ?? claimedAtMs) : claimedAtMs;
  const reservedMs = timing === 'at-submit' ? createdAtMs : undefined;
  const taken = { lo, hi, peak: hi, afterMs: 0 };
  const nothing = { lo: 0, hi: 0, peak: hi };
  switch (known.end) {
    case 'open':
      if (reservedMs === undefined) return [{ ...taken, lo: 0, fromMs: chargesFromMs, toMs: null }];
      return [
        { ...taken, fromMs: claimedAtMs, toMs: reservedMs },
        refund(runningAtMs ?? reservedMs, null, known, rhoMs),
        ...later(runningAtMs ?? reservedMs, known),
      ];
    case 'charged':
      return [{ ...taken, fromMs: chargesFromMs, toMs: reservedMs ?? endedAtMs }];
    case 'unbilled':
      return [{ ...nothing, fromMs: chargesFromMs, toMs: endedAtMs, afterMs: mayComeBack(timing) ? rhoMs : 0 }];
    case 'billed': {
      const seenMs = known.seenAtMs ?? claimedAtMs;
      const bill = { ...taken, fromMs: claimedAtMs, toMs: seenMs };
      const heldMs = known.heldAtMs ?? claimedAtMs;
      const isKept = !mayComeBack(timing) || (endedAtMs !== null && endedAtMs + rhoMs < heldMs);
      return isKept ? [bill] : [bill, refund(heldMs, endedAtMs, known, rhoMs)];
    }
    case 'not_billed':
      // What completion charges was never taken; what is reserved may have been, and come back.
      return mayComeBack(timing) ? [{ ...nothing, fromMs: claimedAtMs, toMs: endedAtMs, afterMs: 0 }] : [];
    case 'undecided':
      return [{ ...taken, lo: 0, fromMs: claimedAtMs, toMs: endedAtMs, afterMs: mayComeBack(timing) ? rhoMs : 0 }];
    case 'follow_up':
      return [{ ...taken, lo: 0, fromMs: claimedAtMs, toMs: endedAtMs }];
  }
}

/** What was reserved, or taken before a call failed, can come back; what completion charges never. */
export function mayComeBack(timing: ChargeTiming): boolean {
  return timing !== 'at-completion';
}

/** It may have ended before anybody saw that: what it is charged afterwards can come at any time. */
function later(fromMs: number, { laterNano = 0 }: KnownAttempt): Movement[] {
  return laterNano === 0 ? [] : [{ fromMs, toMs: null, afterMs: 0, lo: 0, hi: laterNano, peak: laterNano }];
}

/** Anything from nothing to the whole amount may come back. */
function refund(fromMs: number, toMs: number | null, { lo, hi }: KnownAttempt, rhoMs: number): Movement {
  const most = hi === null ? Number.NEGATIVE_INFINITY : -Math.max(lo, hi);
  return { fromMs, toMs, afterMs: rhoMs, lo: most, hi: 0, peak: 0 };
}
