import { countIn, type Problem, possibleAt, problemOf, statesAfter } from './combinations.js';
import type { Evidence, Reading } from './evidence.js';
import { type IndexedEvidence, type Moment, momentAt, opennessOf } from './movement-index.js';

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

/** The readings that are looked at: the newest, and those in the quietest moments. */
const NEWEST = 24;
const QUIETEST = 16;
const BASES_BEFORE = 8;
const BASES_LATER = 6;

/** Looks at the readings from the subject's claim on, oldest first. */
export function explain(evidence: IndexedEvidence): Look[] {
  const { index } = evidence;
  const openness = new Map(evidence.readings.map((at) => [at, opennessOf(index, at)]));
  const problem = problemOf(evidence, openness);
  const readings = chosen(evidence, openness);
  const bases = quietest(readings.filter(isLater(evidence)), openness, BASES_LATER);
  for (const before of readings.filter((at) => !isLater(evidence)(at))) bases.add(before);
  const moments = readings.map((at) => momentAt(index, at));
  const staying = new Map<Moment, Uint8Array>();
  const looks: Look[] = [];
  moments.forEach((moment, i) => {
    const { at } = moment;
    const earlier = moments.slice(0, i);
    const previous = earlier.at(-1);
    const compared = earlier.filter((base) => base === previous || bases.has(base.at));
    let states = possibleAt(problem, at);
    for (const base of compared) states = statesAfter(problem, base, moment, staying.get(base), states);
    const isExplained = states.includes(1);
    // Where nothing explains a reading, nothing is known from it on.
    staying.set(moment, isExplained ? states : possibleAt(problem, at));
    if (isLater(evidence)(at)) looks.push(lookOf(problem, at, states, isExplained));
  });
  return looks;
}

/** The readings that can say something: of those before the claim the quietest, of the later ones the newest, too. */
function chosen(evidence: IndexedEvidence, openness: Map<Reading, number>): Reading[] {
  const { readings } = evidence;
  const later = readings.filter(isLater(evidence));
  const before = readings.slice(0, readings.length - later.length);
  // From one before the first of them on, the balance tells of all open cases together.
  const firstMs = Math.min(...[evidence.subject, ...evidence.rivals].map(({ claimedAtMs }) => claimedAtMs));
  const beforeAll = before.filter(({ atMs }) => atMs <= firstMs);
  const kept = new Set([
    ...quietest(beforeAll, openness, 1),
    ...quietest(before, openness, BASES_BEFORE),
    ...before.slice(-1),
    ...quietest(later, openness, QUIETEST),
    ...later.slice(-NEWEST),
  ]);
  return readings.filter((reading) => kept.has(reading));
}

function isLater({ subject }: Pick<Evidence, 'subject'>): (at: Reading) => boolean {
  return ({ atMs }) => atMs > subject.claimedAtMs;
}

/** The later of two equally quiet readings is the better one: fewer attempts lie between it and what follows. */
export function quietest(readings: Reading[], openness: Map<Reading, number>, count: number): Set<Reading> {
  const order = [...readings].reverse();
  order.sort((a, b) => (openness.get(a) ?? 0) - (openness.get(b) ?? 0) || 0);
  return new Set(order.slice(0, count));
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
