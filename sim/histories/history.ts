import type { Random } from '../engine/random.js';
import { type Account, type Broken, CREDIT_NANO, drawAccount } from './account.js';
import { type Attempt, drawAttempt, type Money } from './attempt.js';
import { type Read, readBalance } from './readings.js';

/** The life of one account, drawn: attempts and lost answers, purchases, and how its balance looked. */

export interface History {
  account: Account;
  /** In the order of their claims. */
  attempts: Attempt[];
  money: Money[];
  reads: Read[];
  /** When the check is asked, ascending. */
  moments: number[];
  /** Of a longer time without a reading only so much counts; undefined where all of it does. */
  gapMaxMs: number | undefined;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Times of a history are epoch ms, so that they are as large as real ones. */
const START_MS = 1_750_000_000_000;

export function drawHistory(random: Random, broken: Broken | undefined): History {
  const account = drawAccount(random);
  const spanMs = random.pick([1, 15, 120]) * MINUTE_MS;
  const attempts = drawAttempts(random, account, spanMs, broken);
  const due = attempts.filter(({ isLost }) => isLost).map((one) => dueMs(account, one));
  const money = [
    ...attempts.flatMap((one) => one.money),
    ...drawPurchases(random, spanMs, due),
    ...drawStrangers(random, account, spanMs, broken),
  ].sort((a, b) => a.atMs - b.atMs);
  const asked = drawReadTimes(random, attempts, spanMs, due);
  const reads = readBalance(random, account, money, asked, broken);
  const moments = drawMoments(random, reads, attempts, due);
  const gapMaxMs = random.chance(0.5) ? undefined : random.pick([1.5, 5, 20]) * MINUTE_MS;
  return { account, attempts, money, reads, moments, gapMaxMs };
}

/** By when a charge of a lost answer must show, as the documents of the check have it. */
export function dueMs({ limits }: Account, { family, t0Ms }: Attempt): number {
  const longestMs = family.flow === 'sync' ? limits.syncMaxMs : family.renderMaxMs;
  return t0Ms + limits.thetaMs + limits.lambdaMs + (family.believed === 'submit' ? 0 : longestMs);
}

function drawAttempts(random: Random, account: Account, spanMs: number, broken: Broken | undefined): Attempt[] {
  const lost = random.chance(0.7) ? 1 : random.chance(0.97) ? random.int(2, 3) : random.int(4, 10);
  const known = random.chance(0.3) ? 0 : random.int(1, random.chance(0.8) ? 5 : 12);
  const orders = Array.from({ length: lost + known }, (_, i) => ({
    name: `b/${i < lost ? 'lost' : 'known'}-${i}/1`,
    atMs: START_MS + random.int(0, spanMs),
    isLost: i < lost,
  }));
  orders.sort((a, b) => a.atMs - b.atMs);
  return orders.map((order) => drawAttempt(random, account, order, broken));
}

function drawPurchases(random: Random, spanMs: number, due: number[]): Money[] {
  if (random.chance(0.6)) return [];
  const lastMs = Math.max(...due, START_MS + spanMs);
  return Array.from({ length: random.int(1, 2) }, () => ({
    atMs: random.chance(0.5) ? random.int(START_MS, lastMs) : random.pick(due) - random.int(0, 5 * MINUTE_MS),
    nano: random.pick([5, random.int(5, 30), random.int(5, 5_000)]) * CREDIT_NANO,
    owner: undefined,
  }));
}

/** Somebody else spends what one of our attempts would cost, or gets it back. */
function drawStrangers(random: Random, account: Account, spanMs: number, broken: Broken | undefined): Money[] {
  if (broken !== 'foreign') return [];
  return Array.from({ length: random.int(1, 3) }, () => {
    const { price } = random.pick(account.families);
    return {
      atMs: START_MS + random.int(0, spanMs + 10 * MINUTE_MS),
      nano: (random.chance(0.5) ? -1 : 1) * random.int(price.lo, price.hi),
      owner: undefined,
    };
  });
}

/** Before, around claims, every 10 to 60 s while something runs, around the time of each case, and with gaps. */
function drawReadTimes(random: Random, attempts: Attempt[], spanMs: number, due: number[]): number[] {
  const asked = [START_MS - 20 * MINUTE_MS, START_MS - random.int(1, 300) * SECOND_MS];
  for (const { claimedMs } of attempts) if (random.chance(0.6)) asked.push(claimedMs - random.int(20, 12_000));
  const busyMs = spanMs + 5 * MINUTE_MS;
  const stepMs = Math.max(10 * SECOND_MS, busyMs / random.int(5, 20));
  for (let atMs = START_MS; atMs < START_MS + busyMs; atMs += random.between(stepMs, 2 * stepMs)) asked.push(atMs);
  for (const dueAtMs of due.slice(0, 4)) {
    let atMs = dueAtMs + random.pick([0, random.int(-60, 60) * SECOND_MS]);
    for (let i = 0; i < 3; i += 1) {
      asked.push(atMs);
      atMs += random.int(10, 60) * SECOND_MS;
    }
  }
  const lastMs = Math.max(...due);
  for (let i = 1; i <= 3; i += 1) asked.push(lastMs + 15 * MINUTE_MS + i * random.int(10, 60) * SECOND_MS);
  for (let i = random.int(0, 5); i > 0; i -= 1) asked.push(random.int(START_MS, lastMs + 20 * MINUTE_MS));
  return asked.map(Math.round).sort((a, b) => a - b);
}

/** Just after readings: some around the time of a case, one of any, and the last. */
function drawMoments(random: Random, reads: Read[], attempts: Attempt[], due: number[]): number[] {
  const first = attempts.find(({ isLost }) => isLost)?.t0Ms ?? 0;
  const after = reads.filter(({ atMs }) => atMs > first);
  const near = after.filter(({ atMs }) => due.some((dueAtMs) => atMs >= dueAtMs && atMs < dueAtMs + 3 * MINUTE_MS));
  const chosen = [...near.slice(1, 2), ...[near, near, after].flatMap((from) => (from.length > 0 ? [random.pick(from)] : []))];
  return [...new Set([...chosen, ...after.slice(-1)].map(({ atMs }) => atMs))].sort((a, b) => a - b);
}
