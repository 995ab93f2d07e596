import type { AccountEvidence, Evidence, Reading } from './evidence.js';
import type { Interval } from './interval.js';
import { unexplained } from './residual.js';
import { add, difference, type RunningSums, runningSums, type Sum, sharesOf } from './running-sums.js';
import {
  type BoundedMovement,
  boundedMovement,
  isMovingAt,
  NO_SHARES,
  type Shares,
  shareOf,
  withShare,
} from './shares.js';

/**
 * The movements of an account, sorted and summed once. A busy account has tens of thousands of them, and hundreds of pairs
 * of its readings are compared: no pair may cost a walk over all. What was settled between two readings is the difference
 * of two sums; only what is still moving at one of the two is looked at by itself.
 */
export interface MovementIndex {
  lambdaMs: number;
  /** Those that can be summed, by when they begin; `latestMs`: when the last of the first so many was settled. */
  byStart: BoundedMovement[];
  latestMs: number[];
  /** Those of them that are not over yet: they count in no `latestMs`. */
  endless: BoundedMovement[];
  /** When each of the others was settled, ascending, and what they took by then. */
  settledMs: number[];
  settled: RunningSums;
  /** Those that cannot be summed. */
  single: BoundedMovement[];
}

/** Evidence as explanations look at it. */
export type IndexedEvidence = Omit<Evidence, 'movements'> & { index: MovementIndex };

export function indexEvidence({ movements, ...evidence }: Evidence): IndexedEvidence {
  return { ...evidence, index: indexMovements({ movements, lambdaMs: evidence.lambdaMs }) };
}

export function indexMovements(account: Pick<AccountEvidence, 'movements' | 'lambdaMs'>): MovementIndex {
  const { lambdaMs } = account;
  const all = account.movements.map((one) => boundedMovement(one, lambdaMs));
  const byStart = all.filter(isSummable).sort((a, b) => a.fromMs - b.fromMs);
  const ended = byStart.filter((one) => !isEndless(one));
  const bySettled = ended.sort((a, b) => a.settledMs - b.settledMs);
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    lambdaMs,
    byStart,
    latestMs: byStart.map((one) => {
      if (!isEndless(one)) lastMs = Math.max(lastMs, one.settledMs);
      return lastMs;
    }),
    endless: byStart.filter(isEndless),
    settledMs: bySettled.map(({ settledMs }) => settledMs),
    settled: runningSums(bySettled.map(({ whole }) => whole)),
    single: all.filter((one) => !isSummable(one)),
  };
}

function isEndless({ settledMs }: BoundedMovement): boolean {
  return settledMs === Number.POSITIVE_INFINITY;
}

/** Far more than a row costs; of whole numbers below it a sum of ninety thousand is still exact. */
const SUMMED_MAX_NANO = 1e11;

function isSummable({ fromMs, settledMs, whole }: BoundedMovement): boolean {
  const isExact = (nano: number): boolean =>
    !Number.isFinite(nano) || (Number.isInteger(nano) && Math.abs(nano) <= SUMMED_MAX_NANO);
  // Clocks that disagree can let a movement be settled before it begins.
  return fromMs <= settledMs && isExact(whole.lo) && isExact(whole.hi);
}

/** A reading with what is settled and what is moving at it. */
export interface Moment {
  at: Reading;
  settled: Sum;
  moving: BoundedMovement[];
}

export function momentAt(index: MovementIndex, at: Reading): Moment {
  return { at, settled: settledAt(index, at), moving: movingAt(index, at) };
}

function settledAt({ settledMs, settled }: MovementIndex, { askedMs }: Reading): Sum {
  return settled.of(countUntil(settledMs.length, (i) => (settledMs[i] ?? 0) <= askedMs));
}

function movingAt({ byStart, latestMs, endless }: MovementIndex, at: Reading): BoundedMovement[] {
  const begun = (some: BoundedMovement[]): number => countUntil(some.length, (i) => (some[i]?.fromMs ?? 0) <= at.atMs);
  const moving = endless.slice(0, begun(endless));
  for (let i = begun(byStart) - 1; i >= 0 && (latestMs[i] ?? 0) > at.askedMs; i--) {
    const one = byStart[i];
    if (one !== undefined && !isEndless(one) && one.settledMs > at.askedMs) moving.push(one);
  }
  return moving;
}

/** How many of the first in ascending order something holds of. */
function countUntil(length: number, holds: (i: number) => boolean): number {
  let least = 0;
  let most = length;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (holds(middle)) least = middle + 1;
    else most = middle;
  }
  return least;
}

/** How far the sums of a reading's open movements may be apart: a reading in a quiet moment has 0. */
export function opennessOf(index: MovementIndex, at: Reading): number {
  let sum = 0;
  for (const { moving } of movingAt(index, at)) sum += moving.hi - moving.lo;
  for (const one of index.single) if (isMovingAt(one, at)) sum += one.moving.hi - one.moving.lo;
  return sum;
}

/** What the known attempts took from the balance between a reading and a later one. */
export function sharesBetween(index: MovementIndex, base: Moment, at: Moment): Shares {
  const { lambdaMs, byStart, single } = index;
  const walked = (shares: Shares, some: BoundedMovement[]): Shares =>
    some.reduce((sum, one) => withShare(sum, shareOf(one, base.at, at.at, lambdaMs)), shares);
  if (!isInOrder(base.at, at.at)) return walked(walked(NO_SHARES, byStart), single);
  const sum = difference(at.settled, base.settled);
  const correct = (one: BoundedMovement): void => {
    // The sums hold it in whole where it is settled at one of the two alone.
    if (one.settledMs <= at.at.askedMs) add(sum, one.whole, -1);
    if (one.settledMs <= base.at.askedMs) add(sum, one.whole, 1);
    add(sum, shareOf(one, base.at, at.at, lambdaMs), 1);
  };
  base.moving.forEach(correct);
  for (const one of at.moving) if (!isMovingAt(one, base.at)) correct(one);
  return walked(sharesOf(sum), single);
}

/** A clock that was set back can bring readings, or a question and its answer, out of their order. */
function isInOrder(base: Reading, at: Reading): boolean {
  return base.atMs <= at.atMs && base.askedMs <= base.atMs && at.askedMs <= at.atMs;
}

/**
 * No less than what they took and than the number of their charges, without a look at what is moving; `openNano`: how far
 * the sums of both readings together may be apart.
 */
export function mostBetween(index: MovementIndex, base: Reading, at: Reading, openNano: number): Shares {
  const { byStart, single } = index;
  const charges = byStart.length + single.length;
  if (!isInOrder(base, at) || base.askedMs > at.askedMs || single.length > 0) return { ...UNBOUNDED, charges };
  const { explained } = sharesOf(difference(settledAt(index, at), settledAt(index, base)));
  return { explained: { ...explained, hi: explained.hi + openNano }, charges };
}

const UNBOUNDED = { explained: { lo: Number.NEGATIVE_INFINITY, hi: Number.POSITIVE_INFINITY } };

export function explainedBetween(index: MovementIndex, base: Reading, at: Reading): Interval {
  return sharesBetween(index, momentAt(index, base), momentAt(index, at)).explained;
}

/** How much of the balance's fall between two readings the known attempts do not explain. */
export function residualBetween(index: MovementIndex, base: Reading, at: Reading): Interval {
  return unexplained(base, at, explainedBetween(index, base, at));
}
