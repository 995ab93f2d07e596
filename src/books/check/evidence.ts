import type { CreditsNano, CreditsRange } from '../../domain/money.js';

/** One reading of the account's balance. It shows the balance of some moment from Λ before it was asked for on. */
export interface Reading {
  askedMs: number;
  /** When the answer was there. */
  atMs: number;
  balanceNano: CreditsNano;
}

/**
 * What an attempt whose fate is known may do to the balance: nothing before `fromMs`; once `afterMs` have passed since
 * `toMs` (null = not over yet) it has taken `lo` to `hi`; in between anything from nothing to `peak`. A refund takes a
 * negative amount; `null` = without bound.
 */
export interface Movement extends CreditsRange {
  fromMs: number;
  /** When something was seen to end. */
  toMs: number | null;
  /** How long after that it can still move. */
  afterMs: number;
  peak: CreditsNano | null;
}

/** An attempt whose answer is lost: billed or not, nobody knows yet. Times are epoch ms, waits scaled. */
export interface Case {
  /** `batch/id/n`: tells cases apart. */
  name: string;
  /** Nothing can have been charged before. */
  claimedAtMs: number;
  /** When its call was over for certain: nobody held the connection any more. */
  t0Ms: number;
  /** So long after `t0Ms` a charge of it can still come. */
  dueAfterMs: number;
  /** So long after `t0Ms` a charge can still be given back; null where a failure is never charged. */
  backAfterMs: number | null;
  /** So long after `t0Ms` one that was charged can be charged once more, within its price; absent where none is. */
  moreAfterMs?: number | undefined;
  /** What it would cost; null = no price known. */
  price: CreditsRange | null;
}

/** What is known of the account while cases are weighed. */
export interface AccountEvidence {
  nowMs: number;
  /** Nobody else uses the account. */
  exclusive: boolean;
  /** Λ: how late the balance can show a movement. */
  lambdaMs: number;
  /** Ρ: how late a refund can be after the end. */
  rhoMs: number;
  /** One unit of the last decimal place that this account's balances ever showed. */
  roundingNano: CreditsNano;
  /** Two readings this far apart count as two. */
  apartMs: number;
  /** Ascending, from some time before the first claim on. */
  readings: Reading[];
  /** Every attempt but the open cases that may have moved the balance since the first reading. */
  movements: Movement[];
}

/** Everything that the verdict on one case rests on. */
export interface Evidence extends AccountEvidence {
  subject: Case;
  /** The account's other open cases: each may or may not have been billed as well. */
  rivals: Case[];
  /** Names of the rivals that are interchangeable with the subject: it does not matter which of them was billed. */
  equals: string[];
  /** Those of the same price that were judged before: what may still come back of them counts with the equals. */
  judged?: Judged;
  /** How long a case that is past its time waits by itself before it is hopeless or asks for a quiet. */
  patienceMs: number;
  /** So long after its time (and that of its equals) a case is given up. */
  giveUpAfterMs: number;
}

/** What stands in the readings up to an instant. */
export function upTo<E extends Evidence>(evidence: E, untilMs: number): E {
  return { ...evidence, readings: evidence.readings.filter(({ atMs }) => atMs <= untilMs) };
}

/** A charge after its time follows from no earlier reading: the newest must show it by itself. */
export function newestAlone(evidence: Evidence): Evidence {
  const { readings, subject } = evidence;
  return {
    ...evidence,
    readings: [...readings.filter(({ atMs }) => atMs <= subject.claimedAtMs), ...readings.slice(-1)],
  };
}

/** Interchangeable attempts with a verdict, as the open cases that they were. */
export interface Judged {
  cases: Case[];
  /** How many of them count as billed. */
  billed: number;
  /** The movements of everything but them. */
  movements: Movement[];
}

/** When a family charges; `at-success` is a synchronous call, `unknown` = anywhere from submit to completion. */
export type ChargeTiming = 'at-success' | 'at-submit' | 'at-completion' | 'unknown';

/** How an attempt stands with the balance; `billed`, `undecided` and `not_billed` are verdicts on a lost answer. */
export type AttemptEnd = 'open' | 'charged' | 'unbilled' | 'billed' | 'undecided' | 'follow_up' | 'not_billed';

/**
 * An attempt whose effect on the balance is known within bounds: `lo` to `hi` is what it cost, or would cost where it did
 * not end well. Times are epoch ms.
 */
export interface KnownAttempt extends CreditsRange {
  /** `batch/id/n`. */
  name: string;
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
  /** `open`: how much of `hi` is charged after the job's end, where it is; null = nobody knows. */
  laterNano?: CreditsNano | null;
}

/** A known attempt as movements of the balance; a refund can be `rhoMs` later than the end it belongs to. */
export function movementsOf(known: KnownAttempt, rhoMs: number): Movement[] {
  const { timing, claimedAtMs, createdAtMs, runningAtMs, endedAtMs, lo, hi } = known;
  // Whoever charges at completion took nothing while it was seen running.
  const chargesFromMs = timing === 'at-completion' ? (runningAtMs ?? claimedAtMs) : claimedAtMs;
  const reservedMs = timing === 'at-submit' ? createdAtMs : undefined;
  const refundedMs = mayComeBack(timing) ? rhoMs : 0;
  const taken = (fromMs: number, toMs: number | null): Movement => ({ fromMs, toMs, afterMs: 0, lo, hi, peak: hi });
  switch (known.end) {
    case 'open':
      if (reservedMs === undefined) return [{ ...taken(chargesFromMs, null), lo: 0 }];
      return [
        taken(claimedAtMs, reservedMs),
        refund(runningAtMs ?? reservedMs, null, known, rhoMs),
        ...later(runningAtMs ?? reservedMs, known),
      ];
    case 'charged':
      return [taken(chargesFromMs, reservedMs ?? endedAtMs)];
    case 'unbilled':
      return [{ ...taken(chargesFromMs, endedAtMs), afterMs: refundedMs, lo: 0, hi: 0 }];
    case 'billed': {
      const seenMs = known.seenAtMs ?? claimedAtMs;
      const bill = taken(claimedAtMs, seenMs);
      const heldMs = known.heldAtMs ?? claimedAtMs;
      const isKept = !mayComeBack(timing) || (endedAtMs !== null && endedAtMs + rhoMs < heldMs);
      return isKept ? [bill] : [bill, refund(heldMs, endedAtMs, known, rhoMs)];
    }
    case 'not_billed':
      // What completion charges was never taken; what is reserved may have been, and come back.
      return mayComeBack(timing) ? [{ ...taken(claimedAtMs, endedAtMs), lo: 0, hi: 0 }] : [];
    case 'undecided':
      return [{ ...taken(claimedAtMs, endedAtMs), afterMs: refundedMs, lo: 0 }];
    case 'follow_up':
      return [{ ...taken(claimedAtMs, endedAtMs), lo: 0 }];
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
