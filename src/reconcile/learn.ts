import { BALANCE_TOLERANCE_NANO, type CreditsNano } from '../domain/money.js';
import type { Checkpoint } from './evidence.js';
import { type Interval, meets } from './interval.js';
import { chargesOf, type KnownAttempt } from './known-attempt.js';
import { residualBetween } from './residual.js';

/** What single charges teach about an account: what a request costs, how late the balance is, who charges at submit. */

export interface Subject {
  /** `batch/id/n`. */
  name: string;
  known: KnownAttempt;
}

export interface Lessons {
  /** Attempts whose own charge was seen alone between two readings. */
  measured: { name: string; amountNano: CreditsNano; atMs: number }[];
  /** How late the balance showed a charge whose time is known, ms; 0 where it was never seen late. */
  latenessMs: number;
  /** Attempts whose charge showed while a later poll still said running. */
  chargedAtSubmit: string[];
}

/** Looks for charges that stand alone. `lambdaMs` is the Λ in force; checkpoints ascending. Pure. */
export function learn(book: { lambdaMs: number; checkpoints: Checkpoint[] }, attempts: Subject[]): Lessons {
  const lessons: Lessons = { measured: [], latenessMs: 0, chargedAtSubmit: [] };
  for (const subject of attempts) {
    if (subject.known.end === 'charged' || subject.known.end === 'open') learnFrom(book, subject, attempts, lessons);
  }
  return lessons;
}

interface Alone extends Checkpoint {
  /** The fall since before the claim that nothing else can explain. */
  nano: CreditsNano;
}

function learnFrom(
  book: { lambdaMs: number; checkpoints: Checkpoint[] },
  { name, known }: Subject,
  attempts: Subject[],
  lessons: Lessons,
): void {
  const readings = readingsAlone(book, name, known, attempts);
  const shown = readings.filter(({ nano }) => nano > BALANCE_TOLERANCE_NANO);
  const first = shown[0];
  if (!first || shown.some(({ nano }) => Math.abs(nano - first.nano) > BALANCE_TOLERANCE_NANO)) return;
  const cost: Interval = { lo: known.lo, hi: known.hi ?? Number.POSITIVE_INFINITY };
  // A charge that is not the expected one may be somebody else's.
  if (!meets(cost, { lo: first.nano, hi: first.nano })) return;
  if (known.timing === 'unknown' && known.runningAtMs !== undefined && first.atMs < known.runningAtMs) {
    lessons.chargedAtSubmit.push(name);
  }
  const { endedAtMs } = known;
  if (known.end !== 'charged' || endedAtMs === null) return;
  const seen = shown.find(({ atMs }) => atMs >= endedAtMs);
  if (seen) lessons.measured.push({ name, amountNano: first.nano, atMs: seen.atMs });
  const dueMs = known.timing === 'at-submit' ? (known.createdAtMs ?? endedAtMs) : endedAtMs;
  const wasLate = readings.some(({ atMs, nano }) => atMs > dueMs && nano <= BALANCE_TOLERANCE_NANO);
  const shownLate = shown.find(({ atMs }) => atMs > dueMs);
  if (wasLate && shownLate && first.atMs > dueMs) {
    lessons.latenessMs = Math.max(lessons.latenessMs, shownLate.atMs - dueMs);
  }
}

/** Readings after the claim at which every other attempt's share is known to the digit. */
function readingsAlone(
  { lambdaMs, checkpoints }: { lambdaMs: number; checkpoints: Checkpoint[] },
  name: string,
  known: KnownAttempt,
  attempts: Subject[],
): Alone[] {
  const base = checkpoints.filter(({ atMs }) => atMs <= known.claimedAtMs).at(-1);
  if (!base) return [];
  const charges = attempts.filter((other) => other.name !== name).flatMap((other) => chargesOf(other.known));
  const account = { nowMs: 0, exclusive: true, thetaMs: 0, lambdaMs, checkpoints, charges };
  return checkpoints.flatMap((at) => {
    if (at.atMs <= known.claimedAtMs) return [];
    const { lo, hi } = residualBetween(account, base, at);
    return hi - lo <= BALANCE_TOLERANCE_NANO ? [{ ...at, nano: Math.round((lo + hi) / 2) }] : [];
  });
}
