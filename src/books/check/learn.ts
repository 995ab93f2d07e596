import type { CreditsNano } from '../../domain/money.js';
import {
  type AccountEvidence,
  type ChargeTiming,
  type KnownAttempt,
  type Movement,
  movementsOf,
  type Reading,
} from './evidence.js';
import { intervalOf, meets, point } from './interval.js';
import { explainedBetween, indexMovements, type MovementIndex, residualBetween } from './movement-index.js';
import { showsAllUntil, slackOf } from './residual.js';

/** What single charges teach about an account: what a request costs, how late the balance is, who charges when. */

export interface Lessons {
  /** Attempts whose own charge was seen alone between two readings. */
  measured: { name: string; amountNano: CreditsNano; atMs: number }[];
  /** How late the balance showed a charge whose time is known, ms; 0 where it was never seen late. */
  latenessMs: number;
  /** How late after its end a failed attempt's charge was still in the balance, ms. */
  refundMs: number;
  /** When attempts of unknown timing were seen to be charged. */
  timings: { name: string; timing: Exclude<ChargeTiming, 'unknown' | 'at-success'> }[];
  /** Attempts that were charged once more after their end, with what they cost in all. */
  followedUp: { name: string; totalNano: CreditsNano }[];
}

/** What lessons are drawn from; readings ascending. */
export type Book = Pick<AccountEvidence, 'lambdaMs' | 'rhoMs' | 'roundingNano' | 'readings'>;

/** Looks for charges that stand alone: nothing else of the account moved while they could. Pure. */
export function learn(book: Book, attempts: KnownAttempt[]): Lessons {
  const lessons: Lessons = { measured: [], latenessMs: 0, refundMs: 0, timings: [], followedUp: [] };
  for (const subject of attempts) {
    const { end } = subject;
    if (end === 'follow_up') learnFollowUp(book, subject, attempts, lessons);
    if (end === 'charged') learnFrom(book, subject, attempts, lessons);
    if (end === 'unbilled') learnRefund(book, subject, attempts, lessons);
  }
  return lessons;
}

interface Seen extends Reading {
  /** The fall since before the claim. */
  nano: CreditsNano;
}

function learnFrom(book: Book, subject: KnownAttempt, attempts: KnownAttempt[], lessons: Lessons): void {
  const { name, endedAtMs } = subject;
  if (endedAtMs === null) return;
  lessons.latenessMs = Math.max(lessons.latenessMs, latenessOf(book, subject, attempts));
  if (!isLone(book, subject, attempts)) return;
  const readings = readingsOf(book, subject, attempts);
  const shown = shownIn(readings, slackOf(book));
  const [first] = shown;
  if (!first) return;
  learnTiming(book, subject, readings, first, lessons);
  const seen = shown.find((at) => at.askedMs >= endedAtMs);
  if (seen) lessons.measured.push({ name, amountNano: seen.nano, atMs: seen.atMs });
}

/** The readings that show a charge; none where they do not agree on its amount. */
function shownIn(readings: Seen[], slackNano: number): Seen[] {
  const shown = readings.filter(({ nano }) => nano > slackNano);
  const [first] = shown;
  return first && shown.every(({ nano }) => Math.abs(nano - first.nano) <= slackNano) ? shown : [];
}

/** Before the end, or only after it: a reading that came later than Λ after the submit and before the end tells. */
function learnTiming(book: Book, subject: KnownAttempt, readings: Seen[], first: Seen, lessons: Lessons): void {
  const { name, timing, runningAtMs, createdAtMs } = subject;
  if (timing === 'at-success' || runningAtMs === undefined || createdAtMs === undefined) return;
  const isWithout = (at: Seen): boolean =>
    at.nano <= slackOf(book) && showsAllUntil(at, createdAtMs, book.lambdaMs) && at.atMs < runningAtMs;
  if (first.atMs < runningAtMs) lessons.timings.push({ name, timing: 'at-submit' });
  else if (readings.some(isWithout)) lessons.timings.push({ name, timing: 'at-completion' });
}

/**
 * How late a charge came that was due at a time: between the last reading without it and the first with it. Where the
 * balance was not read for longer than Λ in between, nobody knows when it came, and only what is proven counts. Others
 * may be under way as long as their shares are known: to take the balance for later than it is costs time alone.
 */
function latenessOf(book: Book, known: KnownAttempt, attempts: KnownAttempt[]): number {
  const slack = slackOf(book);
  const base = baseOf(book, known.claimedAtMs);
  const dueMs = known.timing === 'at-submit' ? (known.createdAtMs ?? known.endedAtMs) : known.endedAtMs;
  if (base === undefined || dueMs === null) return 0;
  const others = movementsFrom(
    book,
    attempts.filter((other) => other.name !== known.name),
  );
  const readings = book.readings.flatMap((at) => {
    const { lo, hi } = residualBetween(others, base, at);
    return at.atMs > known.claimedAtMs && hi - lo <= slack ? [{ ...at, nano: Math.round((lo + hi) / 2) }] : [];
  });
  const [first] = shownIn(readings, slack);
  // A charge that is not the expected one says nothing of how late it came.
  if (!first || first.atMs <= dueMs || !meets(intervalOf(known), point(first.nano), slack)) return 0;
  // A balance that rose, by a purchase, shows neither.
  const without = readings.findLast((at) => at.askedMs > dueMs && Math.abs(at.nano) <= slack);
  if (!without) return 0;
  const provenMs = without.askedMs - dueMs;
  const mostMs = first.atMs - dueMs;
  return mostMs - provenMs > book.lambdaMs ? provenMs : Math.max(provenMs, mostMs);
}

/** A charge that is still there later than a refund can be: refunds take longer than was assumed. */
function learnRefund(book: Book, subject: KnownAttempt, attempts: KnownAttempt[], lessons: Lessons): void {
  const { endedAtMs } = subject;
  if (endedAtMs === null || !isLone(book, subject, attempts)) return;
  const slack = slackOf(book);
  const readings = readingsOf(book, subject, attempts).filter((at) => at.atMs > endedAtMs);
  const back = readings.findIndex(({ nano }) => Math.abs(nano) <= slack);
  const last = readings[back - 1];
  if (last && last.nano > slack) lessons.refundMs = Math.max(lessons.refundMs, last.askedMs - endedAtMs);
}

/** What is missing beside the charge itself, once that is certain and while nothing else moves, was charged afterwards. */
function learnFollowUp(book: Book, subject: KnownAttempt, attempts: KnownAttempt[], lessons: Lessons): void {
  const first = attempts.find(({ name, end }) => name === subject.name && end === 'charged');
  const base = first && baseOf(book, first.claimedAtMs);
  if (first === undefined || base === undefined || first.lo !== first.hi) return;
  const slack = slackOf(book);
  const others = movementsFrom(
    book,
    attempts.filter(({ name }) => name !== subject.name),
  );
  const own = movementsFrom(book, [first]);
  const missing = (at: Reading): number => {
    const { lo, hi } = residualBetween(own, base, at);
    const still = explainedBetween(others, base, at);
    return hi - lo <= slack && still.lo === 0 && still.hi === 0 ? Math.round((lo + hi) / 2) : 0;
  };
  const last = book.readings.findLast((at) => at.atMs > first.claimedAtMs && missing(at) > slack);
  if (last === undefined || missing(last) > intervalOf(subject).hi) return;
  lessons.followedUp.push({ name: subject.name, totalNano: first.lo + missing(last) });
}

/** No other attempt can have moved the balance from the claim of this one until its charge has shown for certain. */
function isLone(book: Book, known: KnownAttempt, attempts: KnownAttempt[]): boolean {
  const span = movementsOf(known, book.rhoMs);
  const fromMs = known.claimedAtMs - book.lambdaMs;
  const toMs = Math.max(...span.map(endOf)) + book.lambdaMs;
  return attempts.every(
    (other) =>
      other.name === known.name ||
      movementsOf(other, book.rhoMs).every((one) => one.fromMs > toMs || endOf(one) + book.lambdaMs < fromMs),
  );
}

function endOf({ toMs, afterMs }: Movement): number {
  return toMs === null ? Number.POSITIVE_INFINITY : toMs + afterMs;
}

/** The falls since the last reading before a claim, until another attempt can move the balance. */
function readingsOf(book: Book, { name, claimedAtMs }: KnownAttempt, attempts: KnownAttempt[]): Seen[] {
  const base = baseOf(book, claimedAtMs);
  if (!base) return [];
  const next = attempts.filter((other) => other.name !== name && other.claimedAtMs > claimedAtMs);
  const untilMs = Math.min(...next.map((other) => other.claimedAtMs));
  const later = book.readings.filter(({ atMs }) => atMs > claimedAtMs && atMs <= untilMs);
  return later.map((at) => ({ ...at, nano: base.balanceNano - at.balanceNano }));
}

function baseOf({ readings }: Book, claimedAtMs: number): Reading | undefined {
  return readings.findLast(({ atMs }) => atMs <= claimedAtMs);
}

function movementsFrom({ rhoMs, lambdaMs }: Book, attempts: KnownAttempt[]): MovementIndex {
  return indexMovements({ movements: attempts.flatMap((known) => movementsOf(known, rhoMs)), lambdaMs });
}
