import type { CreditsNano } from '../domain/money.js';
import type { Charge, ChargeTiming } from './evidence.js';

/** How a known attempt stands with the balance; `billed`, `undecided` and `not_billed` are verdicts on a lost answer. */
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
  /** From when on nothing moves any more; null while open. */
  endedAtMs: number | null;
  /** `billed`: the reading that proved it. */
  seenAtMs?: number | undefined;
  /** What it cost, or would cost where it did not end well. */
  lo: CreditsNano;
  hi: CreditsNano | null;
}

/** A known attempt as intervals on the balance, by when its family charges (design: the credits check). */
export function chargesOf(known: KnownAttempt): Charge[] {
  const { timing, claimedAtMs, createdAtMs, runningAtMs, endedAtMs, lo, hi } = known;
  // Whoever charges at completion took nothing while it was seen running.
  const chargesFromMs = timing === 'at-completion' ? (runningAtMs ?? claimedAtMs) : claimedAtMs;
  const isReserved = timing === 'at-submit' && createdAtMs !== undefined && lo === hi;
  const reserved: Charge = { fromMs: claimedAtMs, toMs: createdAtMs ?? endedAtMs, lo, hi, peak: hi };
  switch (known.end) {
    case 'open':
      if (isReserved) return [reserved, refund(runningAtMs ?? createdAtMs, null, lo, hi)];
      return [{ fromMs: chargesFromMs, toMs: null, lo: 0, hi, peak: hi }];
    case 'charged':
      return timing === 'at-submit' ? [reserved] : [{ fromMs: chargesFromMs, toMs: endedAtMs, lo, hi, peak: hi }];
    case 'unbilled':
      if (isReserved) return [reserved, { ...refund(runningAtMs ?? createdAtMs, endedAtMs, lo, hi), hi: -lo }];
      return [{ fromMs: chargesFromMs, toMs: endedAtMs, lo: 0, hi: 0, peak: hi }];
    case 'billed': {
      const seenMs = known.seenAtMs ?? claimedAtMs;
      const bill: Charge = { fromMs: claimedAtMs, toMs: seenMs, lo, hi, peak: hi };
      return mayComeBack(timing) ? [bill, refund(seenMs, endedAtMs, lo, hi)] : [bill];
    }
    case 'not_billed':
      // What completion charges was never taken; what is reserved may have been, and come back.
      return !mayComeBack(timing) ? [] : [{ fromMs: claimedAtMs, toMs: endedAtMs, lo: 0, hi: 0, peak: hi }];
    case 'undecided':
    case 'follow_up':
      return [{ fromMs: claimedAtMs, toMs: endedAtMs, lo: 0, hi, peak: hi }];
  }
}

/** What was reserved, or taken before a call failed, can come back as long as it may run; what completion charges never. */
export function mayComeBack(timing: ChargeTiming): boolean {
  return timing !== 'at-completion';
}

/** Anything from nothing to the whole amount may come back. */
function refund(fromMs: number, toMs: number | null, lo: CreditsNano, hi: CreditsNano | null): Charge {
  return { fromMs, toMs, lo: hi === null ? Number.NEGATIVE_INFINITY : -Math.max(lo, hi), hi: 0, peak: 0 };
}
