import type { Random } from '../engine/random.js';
import { type Account, type Broken, CREDIT_NANO } from './account.js';
import type { Money } from './attempt.js';

/** What the balance looked like from outside: late, rounded, and from copies of the books that are not equally old. */

export interface Read {
  askedMs: number;
  atMs: number;
  balanceNano: number;
  /** The truth: the attempts of which more was charged than given back in what is shown. */
  holds(): Set<string>;
}

/** When each movement stands in one copy of the books. */
interface Copy {
  shownMs: number[];
  /** The copy itself is so much behind. */
  behindMs: number;
}

export function readBalance(
  random: Random,
  account: Account,
  money: Money[],
  askedAtMs: number[],
  broken: Broken | undefined,
): Read[] {
  const { lambdaMs } = account.limits;
  const latestMs = broken === 'lambda' ? 2 * lambdaMs + 60_000 : lambdaMs;
  const copies = Array.from({ length: random.int(1, 2) }, () => drawCopy(random, money, latestMs));
  const isJumpy = random.chance(0.3);
  let lastMs = 0;
  return askedAtMs.flatMap((wantedMs) => {
    // One read at a time: the next is asked for when the last has answered.
    const askedMs = Math.max(wantedMs, lastMs);
    const atMs = askedMs + (random.chance(0.95) ? random.int(10, 400) : random.int(400, 15_000));
    lastMs = atMs;
    const copy = random.pick(copies);
    // What is shown may be of any moment until the answer; with some accounts each read is late by its own.
    const seenMs = isJumpy ? askedMs - random.int(0, copy.behindMs) : random.int(askedMs, atMs) - copy.behindMs;
    return [{ askedMs, atMs, ...shownAt(account, money, copy, seenMs) }];
  });
}

function shownAt(account: Account, money: Money[], { shownMs }: Copy, seenMs: number): Pick<Read, 'balanceNano' | 'holds'> {
  const shown = money.filter((_, i) => (shownMs[i] ?? 0) <= seenMs);
  const nano = shown.reduce((sum, one) => sum + one.nano, account.startNano);
  const costOf = (owner: string): number => shown.reduce((sum, one) => (one.owner === owner ? sum - one.nano : sum), 0);
  const holds = (): Set<string> => {
    const owners = shown.flatMap(({ owner }) => owner ?? []);
    return new Set(owners.filter((owner) => costOf(owner) > 0));
  };
  return { balanceNano: rounded(account, nano), holds };
}

function drawCopy(random: Random, money: Money[], latestMs: number): Copy {
  const behindMs = random.pick([0, latestMs, random.int(0, latestMs)]);
  const leftMs = latestMs - behindMs;
  const isSteady = random.chance(0.4);
  const last = new Map<string | undefined, number>();
  const shownMs = money.map(({ atMs, owner }) => {
    const lateMs = isSteady ? 0 : random.pick([0, leftMs, random.int(0, leftMs)]);
    // A refund is not shown before the charge that it gives back.
    const whenMs = Math.max(atMs + lateMs, owner === undefined ? 0 : (last.get(owner) ?? 0));
    last.set(owner, whenMs);
    return whenMs;
  });
  return { shownMs, behindMs };
}

function rounded({ decimals, rounding }: Account, nano: number): number {
  const unit = CREDIT_NANO / 10 ** decimals;
  return { down: Math.floor, nearest: Math.round, up: Math.ceil }[rounding](nano / unit) * unit;
}

/** One unit of the last place, at most the sixth, that an account's balances ever showed; two until more are seen. */
export function shownUnit(reads: Read[]): number {
  let unit = CREDIT_NANO / 100;
  for (const { balanceNano } of reads) while (unit > 1_000 && balanceNano % unit !== 0) unit /= 10;
  return unit;
}
