import type { Case, Evidence, Reading } from './evidence.js';
import { type Interval, intervalOf, plus, times, ZERO } from './interval.js';
import { explains, isLaterState, opennessOf, residualBetween, showsAllUntil, slackOf } from './residual.js';

/**
 * Explanations of the balance. An explanation says of each open case whether its charge is in the balance. At every
 * reading those stay that meet the fall since the earlier readings; cases of one price are counted, not told apart, so
 * fifty of them are as quick as one. The truth is always among what stays, as long as the bounds of the evidence hold.
 */

/** What all explanations that stay at one reading have in common. */
export interface Look {
  at: Reading;
  /** False where nothing explains the reading: somebody else spends from this account. */
  isExplained: boolean;
  /** Some explanation has the subject's charge in the balance; some has not. */
  mayBeBilled: boolean;
  mayBeUnbilled: boolean;
  /** How many of the subject and its equals are in the balance, at least and at most. */
  equalsBilled: { least: number; most: number };
  /** Whether the explanation in which exactly these cases are in the balance stays. */
  holds(billed: ReadonlySet<string>): boolean;
}

/** More combinations than this are not weighed one by one: the cheapest cases then count as a range. */
const STATES_MAX = 4_096;
/** A pair of readings whose changes are more than this in number is passed over. */
const CHANGES_MAX = 20_000;
/** The readings that are looked at: the newest, and those in the quietest moments. */
const NEWEST = 24;
const QUIETEST = 16;
const BASES_BEFORE = 8;
const BASES = 12;

/** Cases of one price; which of them are billed does not matter to the balance. */
interface PriceClass {
  price: Interval;
  cases: Case[];
  /** How far two neighbouring counts lie apart in the number of a state. */
  stride: number;
}

interface Problem {
  evidence: Evidence;
  classes: PriceClass[];
  /** Cases that are not counted: together they may have taken any of these. */
  folded: { price: Interval; cases: Case[] }[];
  states: number;
}

/** Looks at the readings from the subject's claim on, oldest first. */
export function explain(evidence: Evidence): Look[] {
  const problem = problemOf(evidence);
  const openness = new Map(evidence.readings.map((at) => [at, opennessOf(evidence, at)]));
  const readings = chosen(evidence, openness);
  const bases = quietest(readings, openness, BASES);
  const staying = new Map<Reading, Uint8Array>();
  const looks: Look[] = [];
  readings.forEach((at, i) => {
    const earlier = readings.slice(0, i);
    const previous = earlier.at(-1);
    const compared = earlier.filter((base) => base === previous || bases.has(base));
    let states = possibleAt(problem, at);
    for (const base of compared) states = after(problem, base, at, staying.get(base), states);
    const isExplained = states.includes(1);
    // Where nothing explains a reading, nothing is known from it on.
    staying.set(at, isExplained ? states : possibleAt(problem, at));
    if (at.atMs > evidence.subject.claimedAtMs) looks.push(lookOf(problem, at, states, isExplained));
  });
  return looks;
}

function problemOf(evidence: Evidence): Problem {
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
  return { evidence, classes, folded, states };
}

/** What an attempt takes if it was billed. An unknown price can be any, however small. */
export function priceOf({ price }: Pick<Case, 'price'>): Interval {
  return price === null ? { lo: 0, hi: Number.POSITIVE_INFINITY } : intervalOf(price);
}

function worthOf(cases: Case[]): number {
  const [first] = cases;
  return first === undefined ? 0 : cases.length * priceOf(first).hi;
}

/** The readings that can say something: of those before the claim the quietest, of the later ones the newest, too. */
function chosen(evidence: Evidence, openness: Map<Reading, number>): Reading[] {
  const { readings, subject } = evidence;
  const before = readings.filter(({ atMs }) => atMs <= subject.claimedAtMs);
  const later = readings.filter(({ atMs }) => atMs > subject.claimedAtMs);
  const kept = new Set([
    ...quietest(before, openness, BASES_BEFORE),
    ...before.slice(-1),
    ...quietest(later, openness, QUIETEST),
    ...later.slice(-NEWEST),
  ]);
  return readings.filter((reading) => kept.has(reading));
}

/** The later of two equally quiet readings is the better one: fewer attempts lie between it and what follows. */
function quietest(readings: Reading[], openness: Map<Reading, number>, count: number): Set<Reading> {
  const order = [...readings].reverse();
  order.sort((a, b) => (openness.get(a) ?? 0) - (openness.get(b) ?? 0) || 0);
  return new Set(order.slice(0, count));
}

/** All states in which no case is billed before its claim. */
function possibleAt({ classes, states }: Problem, at: Reading): Uint8Array {
  const claimed = classes.map(({ cases }) => cases.filter(({ claimedAtMs }) => claimedAtMs <= at.atMs).length);
  const possible = new Uint8Array(states);
  for (let state = 0; state < states; state++) {
    if (classes.every((one, g) => countIn(one, state) <= (claimed[g] ?? 0))) possible[state] = 1;
  }
  return possible;
}

/** Of the states at a reading those that some state of an earlier reading can have become. */
function after(
  problem: Problem,
  base: Reading,
  at: Reading,
  before: Uint8Array | undefined,
  now: Uint8Array,
): Uint8Array {
  const changes = before && changesBetween(problem, base, at);
  if (!changes) return now;
  const next = new Uint8Array(problem.states);
  for (let state = 0; state < before.length; state++) {
    if (before[state] !== 1) continue;
    for (const { step, counts } of changes) {
      if (now[state + step] === 1 && fits(problem.classes, state, counts)) next[state + step] = 1;
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
function changesBetween(problem: Problem, base: Reading, at: Reading): Change[] | undefined {
  const { evidence, classes, folded } = problem;
  const { lambdaMs } = evidence;
  const bounds = classes.map(({ cases }) => boundsOf(cases, base, at, lambdaMs));
  if (bounds.reduce((product, { up, down }) => product * (up + down + 1), 1) > CHANGES_MAX) return undefined;
  let free = ZERO;
  for (const { price, cases } of folded) {
    const { up, down } = boundsOf(cases, base, at, lambdaMs);
    free = plus(free, { lo: times(-down, price).lo, hi: times(up, price).hi });
  }
  const residual = residualBetween(evidence, base, at);
  const slack = slackOf(evidence);
  const mayGoBack = !isLaterState(base, at, lambdaMs);
  const found: Change[] = [];
  const walk = (g: number, amount: Interval, step: number, counts: number[]): void => {
    const one = classes[g];
    const bound = bounds[g];
    if (one === undefined || bound === undefined) {
      if (explains(amount, residual, slack, mayGoBack)) found.push({ step, counts });
      return;
    }
    for (let by = -bound.down; by <= bound.up; by++) {
      walk(g + 1, plus(amount, amountOf(by, bound, one.price)), step + by * one.stride, [...counts, by]);
    }
  };
  walk(0, free, 0, []);
  return found;
}

/**
 * What it takes when `by` more cases of a class are in the balance than before. Where one can have gone while another
 * came, the two need not have cost the same.
 */
function amountOf(by: number, { up, down }: { up: number; down: number }, price: Interval): Interval {
  const amount = times(by, price);
  const exchanged = Math.min(up - Math.max(0, by), down + Math.min(0, by));
  if (exchanged === 0 || price.lo === price.hi) return amount;
  const apart = exchanged * (price.hi - price.lo);
  return { lo: amount.lo - apart, hi: amount.hi + apart };
}

/** How many cases of a class can have appeared in the balance between two readings, and how many can have gone. */
function boundsOf(cases: Case[], base: Reading, at: Reading, lambdaMs: number): { up: number; down: number } {
  const isLater = isLaterState(base, at, lambdaMs);
  let up = 0;
  let down = 0;
  for (const { claimedAtMs, t0Ms, dueAfterMs, backAfterMs } of cases) {
    const dueMs = t0Ms + dueAfterMs;
    const backMs = backAfterMs === null ? null : t0Ms + backAfterMs;
    // An older state may lack a refund that the earlier reading showed.
    const isUnrefunded = !isLater && backMs !== null && !showsAllUntil(at, backMs, lambdaMs);
    if (claimedAtMs <= at.atMs && (isUnrefunded || !showsAllUntil(base, dueMs, lambdaMs))) up += 1;
    const isStale = !isLater && !showsAllUntil(at, dueMs, lambdaMs);
    const mayComeBack = backMs !== null && !showsAllUntil(base, backMs, lambdaMs);
    if (claimedAtMs <= base.atMs && (isStale || mayComeBack)) down += 1;
  }
  return { up, down };
}

function fits(classes: PriceClass[], state: number, counts: number[]): boolean {
  return classes.every((one, g) => {
    const count = countIn(one, state) + (counts[g] ?? 0);
    return count >= 0 && count <= one.cases.length;
  });
}

function countIn({ stride, cases }: PriceClass, state: number): number {
  return Math.floor(state / stride) % (cases.length + 1);
}

function lookOf(problem: Problem, at: Reading, states: Uint8Array, isExplained: boolean): Look {
  const { classes, evidence, folded } = problem;
  const [subjectClass] = classes;
  const equals = classes.find(({ cases }) => cases.some(({ name }) => evidence.equals.includes(name)));
  const isFolded = folded.some(({ cases }) => cases.some(({ name }) => evidence.equals.includes(name)));
  let mayBeBilled = false;
  let mayBeUnbilled = false;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  states.forEach((stays, state) => {
    if (stays !== 1 || subjectClass === undefined) return;
    const own = countIn(subjectClass, state);
    if (own === 1) mayBeBilled = true;
    else mayBeUnbilled = true;
    const all = own + (equals === undefined ? 0 : countIn(equals, state));
    least = Math.min(least, all);
    most = Math.max(most, isFolded ? all + evidence.equals.length : all);
  });
  return {
    at,
    isExplained,
    mayBeBilled,
    mayBeUnbilled,
    equalsBilled: { least, most },
    holds: (billed) => {
      const state = classes.reduce(
        (sum, { cases, stride }) => sum + stride * cases.filter(({ name }) => billed.has(name)).length,
        0,
      );
      return states[state] === 1;
    },
  };
}
