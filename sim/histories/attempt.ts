import type { Random } from '../engine/random.js';
import type { Account, Broken, Family } from './account.js';

/** One attempt as it really went, and what of it could be seen from outside. Times are ms of the history. */

export interface Money {
  atMs: number;
  /** Negative for a charge. */
  nano: number;
  /** The attempt that it belongs to; none for a purchase or what a stranger spends. */
  owner: string | undefined;
}

export interface Attempt {
  name: string;
  family: Family;
  claimedMs: number;
  /** When the call was over for us: answered, or given up. */
  t0Ms: number;
  isLost: boolean;
  /** What became of it at the service. */
  truth: 'nothing' | 'good' | 'failed';
  money: Money[];
  /** What it cost or would have cost, without a follow-up. */
  priceNano: number;
  /** The polls that said it runs, and the one that saw its end; a call without a handle has neither. */
  runningMs: number[];
  endSeenMs: number;
  /** Its price is exact once its end was seen. */
  isMeasuredAtEnd: boolean;
}

export interface Order {
  name: string;
  atMs: number;
  isLost: boolean;
}

const SECOND_MS = 1_000;
/** A broken assumption fails by so much of what it allows, and often. */
const BROKEN_BY = 1.5;
const BROKEN_SHARE = 0.5;

export function drawAttempt(random: Random, account: Account, order: Order, broken: Broken | undefined): Attempt {
  const family = random.pick(account.families);
  return order.isLost
    ? drawLost(random, account, family, order, broken)
    : drawKnown(random, account, family, order, broken);
}

/** Anywhere up to a limit, and every so often exactly there, or at once. */
export function upTo(random: Random, limit: number): number {
  const draw = random.next();
  if (draw < 0.1) return 0;
  if (draw < 0.25) return limit;
  return Math.round(random.between(0, limit));
}

function beyond(random: Random, limit: number, isBroken: boolean): number {
  return isBroken && random.chance(BROKEN_SHARE) ? Math.round(limit * BROKEN_BY) + SECOND_MS : upTo(random, limit);
}

function drawLost(
  random: Random,
  { limits }: Account,
  family: Family,
  { name, atMs }: Order,
  broken: Broken | undefined,
): Attempt {
  const sentMs = atMs + random.int(0, 15) * SECOND_MS;
  const t0Ms = sentMs + (random.chance(0.7) ? random.int(0, 5_000) : random.int(0, 300) * SECOND_MS);
  const lost = newAttempt(random, family, { name, claimedMs: atMs, t0Ms, isLost: true, broken });
  if (random.chance(0.45)) return lost;
  const isLate = broken === 'theta' || random.chance(0.3);
  const createdMs = isLate ? t0Ms + beyond(random, limits.thetaMs, broken === 'theta') : random.int(sentMs, t0Ms);
  const longestMs = family.flow === 'sync' ? limits.syncMaxMs : family.renderMaxMs;
  const endMs = createdMs + renderTime(random, longestMs, broken);
  charge(random, lost, { createdMs, endMs, rhoMs: limits.rhoMs, followUpMs: limits.followUpMs, broken });
  return lost;
}

function drawKnown(
  random: Random,
  { limits }: Account,
  family: Family,
  { name, atMs }: Order,
  broken: Broken | undefined,
): Attempt {
  const sentMs = atMs + random.int(0, 3_000);
  const isSync = family.flow === 'sync';
  const answerMs = sentMs + (random.chance(0.9) ? random.int(50, 3_000) : random.int(3, 170) * SECOND_MS);
  const createdMs = isSync ? sentMs : random.int(sentMs, answerMs);
  const endMs = createdMs + renderTime(random, isSync ? limits.syncMaxMs : family.renderMaxMs, broken);
  const t0Ms = isSync ? endMs : answerMs;
  const known = newAttempt(random, family, { name, claimedMs: atMs, t0Ms, isLost: false, broken });
  known.endSeenMs = isSync ? endMs : poll(random, known, Math.max(answerMs, createdMs), Math.max(answerMs, endMs));
  charge(random, known, { createdMs, endMs, rhoMs: limits.rhoMs, followUpMs: limits.followUpMs, broken });
  return known;
}

function newAttempt(
  random: Random,
  family: Family,
  facts: Pick<Attempt, 'name' | 'claimedMs' | 't0Ms' | 'isLost'> & { broken: Broken | undefined },
): Attempt {
  const { broken, ...given } = facts;
  const { lo, hi } = family.price;
  const within = random.pick([lo, hi, random.int(lo, hi)]);
  const priceNano = broken === 'price' && random.chance(BROKEN_SHARE) ? Math.round(hi * BROKEN_BY) + 2e8 : within;
  return {
    ...given,
    family,
    truth: 'nothing',
    money: [],
    priceNano,
    runningMs: [],
    endSeenMs: Number.POSITIVE_INFINITY,
    isMeasuredAtEnd: random.chance(0.5),
  };
}

function renderTime(random: Random, longestMs: number, broken: Broken | undefined): number {
  if (broken === 'render') return beyond(random, longestMs, true);
  return random.chance(0.7) ? random.int(1_000, Math.min(longestMs, 240_000)) : upTo(random, longestMs);
}

/** Polls 5 to 40 s apart, with pauses; a few of them stand for all. */
function poll(random: Random, attempt: Attempt, fromMs: number, endMs: number): number {
  const lengthMs = endMs - fromMs;
  for (let i = 0; i < 4 && lengthMs > 10_000; i += 1) attempt.runningMs.push(fromMs + Math.floor(random.next() * lengthMs));
  attempt.runningMs.sort((a, b) => a - b);
  return endMs + (random.chance(0.9) ? random.int(0, 40_000) : random.int(40, 900) * SECOND_MS);
}

interface Course {
  createdMs: number;
  endMs: number;
  rhoMs: number;
  followUpMs: number;
  broken: Broken | undefined;
}

/** Everything that an attempt ever does to the balance. */
function charge(random: Random, attempt: Attempt, { createdMs, endMs, rhoMs, followUpMs, broken }: Course): void {
  const { name, family, priceNano, money } = attempt;
  attempt.truth = random.chance(0.75) ? 'good' : 'failed';
  const late = broken === 'timing' && random.chance(BROKEN_SHARE) ? 2 * family.renderMaxMs + rhoMs : 0;
  const atMs = {
    submit: createdMs,
    completion: endMs,
    between: random.pick([createdMs, endMs, random.int(createdMs, endMs)]),
  }[family.charges];
  if (attempt.truth === 'good') {
    move(atMs + late, -priceNano);
    if (family.followUpNano > 0 && random.chance(0.4)) {
      const owed = random.int(1, family.followUpNano);
      move(endMs + late + upTo(random, followUpMs), -owed);
    }
    return;
  }
  // What is known to be charged at completion is never charged for a failure; what is reserved always is.
  if (family.charges === 'completion' || (family.charges === 'between' && random.chance(0.3))) return;
  move(atMs, -priceNano);
  move(endMs + beyond(random, rhoMs, broken === 'rho'), priceNano);

  function move(whenMs: number, nano: number): void {
    money.push({ atMs: whenMs, nano, owner: name });
  }
}
