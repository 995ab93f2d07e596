import type { Verdict } from '../domain/attempt.js';
import { BALANCE_TOLERANCE_NANO, formatCredits, NANO_PER_CREDIT } from '../domain/money.js';
import type { CaseEvidence, Charge, Checkpoint } from './evidence.js';
import { containsZero, type Interval, meets, minus, overlap, plus, point, ZERO } from './interval.js';

export type Settlement =
  | { outcome: 'verdict'; verdict: Verdict; sentence: string }
  | { outcome: 'wait'; untilMs: number; sentence: string };

/** The smallest whole-credit purchase and the largest (service document 1, Limits). */
const TOP_UP_MIN = 5;
const TOP_UP_MAX = 5_000;
/** A price that is not known is at least this; the service's amounts are not finer than the tolerance. */
const UNKNOWN_PRICE_MIN_NANO = 2 * BALANCE_TOLERANCE_NANO;

/**
 * Settles one ambiguous attempt from the balance: was it billed, or can it still be? Pure: the same evidence always
 * gives the same verdict. The residual is the fall of the balance that no other attempt explains.
 */
export function settle(evidence: CaseEvidence): Settlement {
  const bases = usableBases(evidence);
  const base = bases.at(-1);
  const latest = evidence.checkpoints.at(-1);
  const after = evidence.checkpoints.filter((c) => c.atMs > evidence.claimedAtMs);
  const deadlineMs = quietAtMs(evidence);
  if (!evidence.exclusive && after.length > 0) {
    return verdict('undecided', 'the account is not declared exclusive, so its balance proves nothing');
  }
  if (!base || !latest || after.length === 0) {
    const why = base ? 'the balance was not read since' : 'no balance was read before the submit';
    if (base || evidence.nowMs < deadlineMs) return wait(evidence, deadlineMs, why);
    return verdict('undecided', why);
  }
  const price = priceOf(evidence);
  const residual = residualFrom(evidence, bases, latest, price);
  const story = tell(evidence, base, latest, residual, price);
  if (residual === undefined) return inconclusive(evidence, deadlineMs, story);
  if (!containsZero(residual) && meets(residual, price)) return verdict('billed', `${story}: billed`);
  if (!containsZero(residual)) {
    return inconclusive(evidence, deadlineMs, `${story}: someone else seems to spend from this account`);
  }
  if (meets(residual, price)) return inconclusive(evidence, deadlineMs, `${story}: it can be either`);
  const quiet = after.filter((c) => c.atMs >= deadlineMs).map((c) => residualFrom(evidence, bases, c, price));
  const [first, second] = quiet.slice(-2);
  if (first && second && equal(first, second)) return verdict('not_billed', `${story}: not billed`);
  return wait(evidence, deadlineMs, story);
}

/** From when on a charge of this attempt would show in the balance. */
export function quietAtMs(evidence: CaseEvidence): number {
  const { claimedAtMs, gaveUpAtMs, thetaMs, lambdaMs, renderMaxMs, syncMaxMs } = evidence;
  if (evidence.flow === 'sync') return claimedAtMs + syncMaxMs + lambdaMs;
  const createdByMs = Math.max(claimedAtMs, gaveUpAtMs) + thetaMs;
  return evidence.charge === 'at-submit' ? createdByMs + lambdaMs : createdByMs + renderMaxMs + lambdaMs;
}

/**
 * Readings from before the claim that the check can start from. The newest may lie in the middle of another job's
 * charge; an older one is as good where everything between the two is explained.
 */
function usableBases(evidence: CaseEvidence): Checkpoint[] {
  const before = evidence.checkpoints.filter((c) => c.atMs <= evidence.claimedAtMs);
  const newest = before.at(-1);
  if (!newest) return [];
  return before.filter((base) => base === newest || containsZero(residualAt(evidence, base, newest)));
}

/** What is missing now, as narrow as all starting points together say; undefined where they contradict each other. */
function residualFrom(
  evidence: CaseEvidence,
  bases: Checkpoint[],
  at: Checkpoint,
  price: Interval,
): Interval | undefined {
  let narrowest: Interval | undefined;
  for (const base of bases) {
    const residual = withoutTopUp(residualAt(evidence, base, at), price);
    if (residual === undefined) return undefined;
    if (narrowest === undefined) narrowest = residual;
    else if (meets(narrowest, residual)) narrowest = overlap(narrowest, residual);
    else return undefined;
  }
  return narrowest;
}

/** The fall of the balance between two readings that the other attempts do not explain. */
function residualAt(evidence: CaseEvidence, base: Checkpoint, at: Checkpoint): Interval {
  const fall = point(base.balanceNano - at.balanceNano);
  const explained = evidence.others.map((charge) => shareOf(charge, base.atMs, at.atMs, evidence.lambdaMs));
  return minus(fall, explained.reduce(plus, ZERO));
}

/** What one other attempt contributes to the fall between two readings. */
function shareOf(charge: Charge, baseMs: number, atMs: number, lambdaMs: number): Interval {
  const settledMs = charge.toMs === null ? Number.POSITIVE_INFINITY : charge.toMs + lambdaMs;
  if (settledMs <= baseMs || charge.fromMs > atMs) return ZERO;
  const final: Interval = { lo: charge.lo, hi: charge.hi ?? Number.POSITIVE_INFINITY };
  const peak = charge.peak ?? Number.POSITIVE_INFINITY;
  const moving: Interval = { lo: Math.min(0, charge.lo), hi: Math.max(final.hi, peak) };
  const seenAtBase = charge.fromMs > baseMs ? ZERO : moving;
  const seenNow = settledMs <= atMs ? final : moving;
  return minus(seenNow, seenAtBase);
}

function priceOf({ expected }: CaseEvidence): Interval {
  if (expected === null) return { lo: UNKNOWN_PRICE_MIN_NANO, hi: Number.POSITIVE_INFINITY };
  return { lo: Math.max(expected.lo, UNKNOWN_PRICE_MIN_NANO), hi: expected.hi ?? Number.POSITIVE_INFINITY };
}

/**
 * Takes a purchase of whole credits out of a residual that rose. Undefined when more than one reading of the rise is
 * possible, or none.
 */
function withoutTopUp(residual: Interval, price: Interval): Interval | undefined {
  if (residual.hi >= -BALANCE_TOLERANCE_NANO) return residual;
  if (!Number.isFinite(residual.lo)) return undefined;
  const readings: Interval[] = [];
  const most = Math.min(TOP_UP_MAX, Math.ceil(-residual.lo / NANO_PER_CREDIT) + TOP_UP_MAX);
  for (let credits = TOP_UP_MIN; credits <= most; credits += 1) {
    const reading = plus(residual, point(credits * NANO_PER_CREDIT));
    if (containsZero(reading) || meets(reading, price)) readings.push(reading);
    if (readings.length > 1) return undefined;
  }
  return readings[0];
}

function inconclusive(evidence: CaseEvidence, deadlineMs: number, story: string): Settlement {
  const lastRead = evidence.checkpoints.at(-1)?.atMs ?? 0;
  return lastRead >= deadlineMs ? verdict('undecided', `${story}: undecided`) : wait(evidence, deadlineMs, story);
}

/**
 * Looks again soon at first, since a bill shows early, then ever more rarely, and twice at the deadline. An hour's
 * wait takes some twenty looks.
 */
function wait(evidence: CaseEvidence, deadlineMs: number, sentence: string): Settlement {
  const { nowMs, lambdaMs, claimedAtMs } = evidence;
  const step = Math.max(lambdaMs / 4, (nowMs - claimedAtMs) / 4);
  const untilMs = nowMs < deadlineMs ? Math.min(deadlineMs, nowMs + step) : nowMs + lambdaMs / 12;
  return { outcome: 'wait', untilMs, sentence };
}

function verdict(which: Verdict, sentence: string): Settlement {
  return { outcome: 'verdict', verdict: which, sentence };
}

function equal(a: Interval, b: Interval): boolean {
  const close = (x: number, y: number): boolean => x === y || Math.abs(x - y) <= BALANCE_TOLERANCE_NANO;
  return close(a.lo, b.lo) && close(a.hi, b.hi);
}

function tell(
  evidence: CaseEvidence,
  base: Checkpoint,
  at: Checkpoint,
  residual: Interval | undefined,
  price: Interval,
): string {
  const fall = base.balanceNano - at.balanceNano;
  const moved = fall >= 0 ? `fell by ${formatCredits(fall)}` : `rose by ${formatCredits(-fall)}`;
  const explained = residual === undefined ? 'nothing certain' : rangeText(minus(point(fall), residual));
  const cost = evidence.expected === null ? 'an unknown amount' : rangeText(price);
  return `balance ${moved} between ${clock(base.atMs)} and ${clock(at.atMs)}; other jobs explain ${explained}; this attempt would cost ${cost}`;
}

function rangeText({ lo, hi }: Interval): string {
  const text = (nano: number): string => (Number.isFinite(nano) ? formatCredits(nano) : 'any amount');
  return lo === hi ? text(lo) : `${text(lo)} to ${text(hi)}`;
}

/** Time of day in UTC: evidence is compared across machines. */
function clock(atMs: number): string {
  const seconds = Math.floor(atMs / 1_000) % 86_400;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
