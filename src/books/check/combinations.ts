import type { Case, Reading } from './evidence.js';
import { type Interval, intervalOf, plus, times, ZERO } from './interval.js';
import { type IndexedEvidence, type Moment, momentAt, mostBetween, sharesBetween } from './movement-index.js';
import {
  amountOf,
  boundsOf,
  explains,
  isLaterState,
  PURCHASE_MIN_NANO,
  type Purchases,
  slackOf,
  unexplained,
} from './residual.js';
import type { Shares } from './shares.js';

/**
 * The combinations of billed and unbilled cases, and which of them can follow each other from reading to reading. A
 * combination (a state) is a number whose digits count the billed cases of each price.
 */

/** More combinations than this are not weighed one by one: the cheapest cases then count as a range. */
const STATES_MAX = 4_096;
/** A pair of readings whose changes are more than this in number is passed over. */
const CHANGES_MAX = 20_000;

/** Cases of one price; which of them are billed does not matter to the balance. */
export interface PriceClass {
  price: Interval;
  cases: Case[];
  /** How far two neighbouring counts lie apart in the number of a state. */
  stride: number;
}

export interface Problem {
  evidence: IndexedEvidence;
  classes: PriceClass[];
  /** Cases that are not counted: together they may have taken any of these. */
  folded: { price: Interval; cases: Case[] }[];
  states: number;
  /** The later ones of two readings next to each other between which a purchase can lie. */
  rises: Reading[];
}

/** `openness`: how far the sums of each reading's open movements may be apart. */
export function problemOf(evidence: IndexedEvidence, openness: Map<Reading, number>): Problem {
  const { subject, rivals, equals } = evidence;
  const byPrice = new Map<string, Case[]>();
  for (const rival of rivals) {
    const key = `${equals.includes(rival.name)} ${rival.price?.lo} ${rival.price?.hi}`;
    byPrice.set(key, [...(byPrice.get(key) ?? []), rival]);
  }
  const rest = [...byPrice.values()].sort((a, b) => worthOf(b) - worthOf(a));
  const classes: PriceClass[] = [];
  const folded: Problem['folded'] = [];
  let states = 1;
  for (const cases of [[subject], ...rest]) {
    const price = priceOf(cases[0] ?? subject);
    if (states * (cases.length + 1) > STATES_MAX) folded.push({ price, cases });
    else {
      classes.push({ price, cases, stride: states });
      states *= cases.length + 1;
    }
  }
  return { evidence, classes, folded, states, rises: risesOf(evidence, openness) };
}

/** Nothing is billed with less than this: an assumption, since the lowest published rate is 0.0006 a megapixel. */
const LEAST_NANO = 10_000;

/** What an attempt takes if it was billed. A price that nobody knows can be any, however small. */
export function priceOf({ price }: Pick<Case, 'price'>): Interval {
  if (price === null) return { lo: 0, hi: Number.POSITIVE_INFINITY };
  const { lo, hi } = intervalOf(price);
  // A small output can cost less than that: the floor is never above the price itself.
  return { lo: Math.max(lo, Math.min(LEAST_NANO, hi)), hi };
}

function worthOf(cases: Case[]): number {
  const [first] = cases;
  return first === undefined ? 0 : cases.length * priceOf(first).hi;
}

/**
 * A purchase raises the balance, unless charges hide it: everything that can have been charged between two readings
 * next to each other, known jobs and lost answers alike, is added back.
 */
function risesOf(evidence: IndexedEvidence, openness: Map<Reading, number>): Reading[] {
  const { readings, index } = evidence;
  return readings.filter((at, i) => {
    const before = readings[i - 1];
    if (before === undefined) return false;
    // Most pairs are no rise whatever was moving, and a day has hundreds of them.
    const openNano = (openness.get(before) ?? 0) + (openness.get(at) ?? 0);
    if (!isRise(evidence, before, at, mostBetween(index, before, at, openNano))) return false;
    return isRise(evidence, before, at, sharesBetween(index, momentAt(index, before), momentAt(index, at)));
  });
}

function isRise(evidence: IndexedEvidence, before: Reading, at: Reading, { explained, charges }: Shares): boolean {
  const { subject, rivals, lambdaMs } = evidence;
  let least = unexplained(before, at, explained).lo;
  for (const one of [subject, ...rivals]) {
    const { up, more } = boundsOf([one], before, at, lambdaMs);
    least -= times(Math.max(up, more), priceOf(one)).hi;
  }
  return least <= slackOf(evidence, charges + 1 + rivals.length) - PURCHASE_MIN_NANO;
}

function purchasesBetween({ evidence: { lambdaMs }, rises }: Problem, base: Reading, at: Reading): Purchases {
  const hasRisen = rises.some(({ atMs }) => atMs > base.atMs && atMs <= at.atMs);
  // Where one goes with an older copy another that came with it may hide the fall, and itself.
  const mayVanish = !isLaterState(base, at, lambdaMs) && rises.some(({ atMs }) => atMs <= base.atMs);
  return { mayAppear: hasRisen || mayVanish, mayVanish };
}

/** All states in which no case is billed before its claim. */
export function possibleAt({ classes, states }: Problem, at: Reading): Uint8Array {
  const claimed = classes.map(({ cases }) => cases.filter(({ claimedAtMs }) => claimedAtMs < at.atMs).length);
  const possible = new Uint8Array(states);
  for (let state = 0; state < states; state++) {
    if (classes.every((one, g) => countIn(one, state) <= (claimed[g] ?? 0))) possible[state] = 1;
  }
  return possible;
}

/** Of the states at a reading those that some state of an earlier reading can have become. */
export function statesAfter(
  problem: Problem,
  base: Moment,
  at: Moment,
  before: Uint8Array | undefined,
  now: Uint8Array,
): Uint8Array {
  const changes = before && changesBetween(problem, base, at);
  if (!changes) return now;
  const next = new Uint8Array(problem.states);
  // Where much is open nearly every change explains, and a few states lead to all that can be: no more are gone through.
  let left = now.reduce((sum, stays) => sum + stays, 0);
  for (let state = 0; state < before.length && left > 0; state++) {
    if (before[state] !== 1) continue;
    for (const { step, counts } of changes) {
      const to = state + step;
      if (now[to] !== 1 || next[to] === 1 || !fits(problem.classes, state, counts)) continue;
      next[to] = 1;
      left -= 1;
    }
  }
  return next;
}

/** A change of the counts that explains the fall between two readings; `step` is what it adds to a state's number. */
interface Change {
  step: number;
  counts: number[];
}

/** Undefined where there are too many to look at. */
function changesBetween(problem: Problem, since: Moment, until: Moment): Change[] | undefined {
  const { evidence, classes, folded } = problem;
  const { lambdaMs, index } = evidence;
  const [base, at] = [since.at, until.at];
  const bounds = classes.map(({ cases }) => boundsOf(cases, base, at, lambdaMs));
  if (bounds.reduce((product, { up, down }) => product * (up + down + 1), 1) > CHANGES_MAX) return undefined;
  let free = ZERO;
  for (const { price, cases } of folded) {
    const { up, down, more } = boundsOf(cases, base, at, lambdaMs);
    free = plus(free, { lo: times(-down - more, price).lo, hi: times(up + more, price).hi });
  }
  const { explained, charges } = sharesBetween(index, since, until);
  const residual = unexplained(base, at, explained);
  const cases = bounds.reduce((sum, { up, down }) => sum + up + down, 0);
  const slack = slackOf(evidence, charges + cases);
  const purchases = purchasesBetween(problem, base, at);
  const found: Change[] = [];
  const walk = (g: number, amount: Interval, step: number, counts: number[]): void => {
    const one = classes[g];
    const bound = bounds[g];
    if (one === undefined || bound === undefined) {
      if (explains(amount, residual, slack, purchases)) found.push({ step, counts });
      return;
    }
    for (let by = -bound.down; by <= bound.up; by++) {
      walk(g + 1, plus(amount, amountOf(by, bound, one.price)), step + by * one.stride, [...counts, by]);
    }
  };
  walk(0, free, 0, []);
  return found;
}

function fits(classes: PriceClass[], state: number, counts: number[]): boolean {
  return classes.every((one, g) => {
    const count = countIn(one, state) + (counts[g] ?? 0);
    return count >= 0 && count <= one.cases.length;
  });
}

export function countIn({ stride, cases }: PriceClass, state: number): number {
  return Math.floor(state / stride) % (cases.length + 1);
}
