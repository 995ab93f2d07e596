import { BALANCE_TOLERANCE_NANO, type CreditsNano } from '../domain/money.js';
import type { AccountEvidence, Checkpoint } from './evidence.js';
import { type Interval, meets, ZERO } from './interval.js';
import { chargesOf, type KnownAttempt } from './known-attempt.js';
import { explainedBetween, residualBetween, shownSinceMs } from './residual.js';

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
  /** Attempts that were charged once more after their end, with what they cost in all. */
  followedUp: { name: string; totalNano: CreditsNano }[];
}

/** Looks for charges that stand alone. `lambdaMs` is the Λ in force; checkpoints ascending. Pure. */
export function learn(book: Book, attempts: Subject[]): Lessons {
  const lessons: Lessons = { measured: [], latenessMs: 0, chargedAtSubmit: [], followedUp: [] };
  for (const subject of attempts) {
    if (subject.known.end === 'follow_up') learnFollowUp(book, subject, attempts, lessons);
    if (subject.known.end === 'charged' || subject.known.end === 'open') learnFrom(book, subject, attempts, lessons);
  }
  return lessons;
}

interface Alone extends Checkpoint {
  /** The fall since before the claim that nothing else can explain. */
  nano: CreditsNano;
}

function learnFrom(book: Book, { name, known }: Subject, attempts: Subject[], lessons: Lessons): void {
  const others = attempts.filter((other) => other.name !== name);
  const readings = readingsAlone(book, known.claimedAtMs, others);
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
  const seen = shown.find((at) => shownSinceMs(at) >= endedAtMs);
  if (seen) lessons.measured.push({ name, amountNano: first.nano, atMs: seen.atMs });
  const dueMs = known.timing === 'at-submit' ? (known.createdAtMs ?? endedAtMs) : endedAtMs;
  if (first.atMs > dueMs) lessons.latenessMs = Math.max(lessons.latenessMs, latenessOf(book, readings, first, dueMs));
}

/**
 * How late a charge came that was due at a time: between the last reading without it and the first with it. Where the
 * balance was not read for longer than Λ in between, nobody knows when it came, and only what is proven counts.
 */
function latenessOf({ lambdaMs }: Book, readings: Alone[], first: Alone, dueMs: number): number {
  // A balance that rose, by a purchase, shows neither.
  const without = readings.findLast((at) => shownSinceMs(at) > dueMs && Math.abs(at.nano) <= BALANCE_TOLERANCE_NANO);
  if (!without) return 0;
  const provenMs = shownSinceMs(without) - dueMs;
  const mostMs = first.atMs - dueMs;
  return mostMs - provenMs > lambdaMs ? provenMs : Math.max(provenMs, mostMs);
}

/** What is missing beside the charge itself, once that is certain and while nothing else moves, was charged afterwards. */
function learnFollowUp(book: Book, subject: Subject, attempts: Subject[], lessons: Lessons): void {
  const first = attempts.find(({ name, known }) => name === subject.name && known.end === 'charged')?.known;
  if (first === undefined || first.lo !== first.hi) return;
  const others = attempts.filter(({ name }) => name !== subject.name);
  const base = baseOf(book.checkpoints, first.claimedAtMs);
  const isStill = (at: Checkpoint): boolean => {
    const { lo, hi } = base ? explainedBetween(accountOf(book, others), base, at) : ZERO;
    return lo === 0 && hi === 0;
  };
  const alone = readingsAlone(book, first.claimedAtMs, [{ name: subject.name, known: first }]);
  const last = alone.findLast((at) => at.nano > BALANCE_TOLERANCE_NANO && isStill(at));
  if (last === undefined || last.nano > (subject.known.hi ?? Number.POSITIVE_INFINITY)) return;
  lessons.followedUp.push({ name: subject.name, totalNano: first.lo + last.nano });
}

interface Book {
  lambdaMs: number;
  checkpoints: Checkpoint[];
}

/** Readings after a claim at which every other attempt's share is known to the digit. */
function readingsAlone(book: Book, claimedAtMs: number, others: Subject[]): Alone[] {
  const base = baseOf(book.checkpoints, claimedAtMs);
  if (!base) return [];
  const account = accountOf(book, others);
  return book.checkpoints.flatMap((at) => {
    if (at.atMs <= claimedAtMs) return [];
    const { lo, hi } = residualBetween(account, base, at);
    return hi - lo <= BALANCE_TOLERANCE_NANO ? [{ ...at, nano: Math.round((lo + hi) / 2) }] : [];
  });
}

function baseOf(checkpoints: Checkpoint[], claimedAtMs: number): Checkpoint | undefined {
  return checkpoints.filter(({ atMs }) => atMs <= claimedAtMs).at(-1);
}

function accountOf(book: Book, others: Subject[]): AccountEvidence {
  const charges = others.flatMap((other) => chargesOf(other.known));
  return { nowMs: 0, exclusive: true, thetaMs: 0, ...book, charges };
}
