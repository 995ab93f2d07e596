import { countTime } from '../../src/books/check/counted-time.js';
import { type Case, type Evidence, type Movement, type ChargeTiming, type KnownAttempt, movementsOf } from '../../src/books/check/evidence.js';
import type { Family, Range } from './account.js';
import type { Attempt } from './attempt.js';
import type { History } from './history.js';
import { shownUnit } from './readings.js';

/** What the product would know of a history at a moment, and nothing more: the evidence of its check. */

export type Told = { verdict: 'billed' | 'not_billed' | 'undecided'; atMs: number; goneMs: number };
/** The verdicts until now, by the name of the attempt. */
export type Verdicts = Map<string, Told>;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Two readings count as two when they are so far apart. */
const APART_MS = 10 * SECOND_MS;
const PATIENCE_MS = 10 * MINUTE_MS;
/** Cases of one price and one time of charging are a group for so long. */
const GROUP_SPAN_MS = 180 * MINUTE_MS;

export function openCases({ attempts }: History, verdicts: Verdicts, nowMs: number): Attempt[] {
  return attempts.filter((one) => one.isLost && one.t0Ms <= nowMs && !verdicts.has(one.name));
}

export function evidenceOf(history: History, verdicts: Verdicts, nowMs: number, subject: Attempt): Evidence {
  const { account, attempts, reads } = history;
  const { lambdaMs, rhoMs } = account.limits;
  const open = openCases(history, verdicts, nowMs);
  const others = open.filter((one) => one !== subject);
  const known = attempts.filter((one) => one.claimedMs <= nowMs && !open.includes(one));
  const seen = reads.filter(({ atMs }) => atMs <= nowMs);
  const evidence: Evidence = {
    nowMs,
    exclusive: true,
    lambdaMs,
    rhoMs,
    roundingNano: shownUnit(seen),
    apartMs: APART_MS,
    patienceMs: PATIENCE_MS,
    giveUpAfterMs: rhoMs + PATIENCE_MS,
    readings: seen,
    movements: known.flatMap((one) => movementsKnown(history, verdicts, nowMs, one)),
    subject: caseOf(history, subject),
    rivals: others.map((one) => caseOf(history, one)),
    equals: others.filter((one) => areEqual(subject, one)).map(({ name }) => name),
  };
  return history.gapMaxMs === undefined ? evidence : countTime(evidence, history.gapMaxMs);
}

function areEqual(one: Attempt, other: Attempt): boolean {
  const { price, believed, flow, followUpNano } = one.family;
  const isNear = Math.abs(one.claimedMs - other.claimedMs) < GROUP_SPAN_MS;
  return (
    isNear &&
    followUpNano === 0 &&
    price.lo === price.hi &&
    other.family.price.lo === price.lo &&
    other.family.price.hi === price.hi &&
    other.family.believed === believed &&
    other.family.flow === flow
  );
}

/** How long after its call was over the job of a lost answer can end. */
function longestOf({ account: { limits } }: History, { family }: Attempt): number {
  return limits.thetaMs + (family.flow === 'sync' ? limits.syncMaxMs : family.renderMaxMs);
}

function caseOf(history: History, attempt: Attempt): Case {
  const { limits } = history.account;
  const { name, family, claimedMs, t0Ms } = attempt;
  const endMs = longestOf(history, attempt);
  return {
    name,
    claimedAtMs: claimedMs,
    t0Ms,
    dueAfterMs: family.believed === 'submit' ? limits.thetaMs : endMs,
    backAfterMs: family.believed === 'completion' ? null : endMs + limits.rhoMs,
    ...(family.followUpNano > 0 ? { moreAfterMs: endMs + limits.followUpMs } : {}),
    price: withFollowUp(family),
  };
}

/** A price beforehand: what may be charged once more is part of it. */
function withFollowUp({ price, followUpNano }: Family): Range {
  return { lo: price.lo, hi: price.hi + followUpNano };
}

function movementsKnown(history: History, verdicts: Verdicts, nowMs: number, attempt: Attempt): Movement[] {
  const { limits } = history.account;
  const known = knownOf(history, verdicts, nowMs, attempt);
  const movements = movementsOf(known, limits.rhoMs);
  if (known.endedAtMs === null || known.end === 'not_billed') return movements;
  return [...movements, ...followUps(history, attempt, known.endedAtMs)];
}

/** What may be charged once more after an end that came at the latest then. */
function followUps({ account: { limits } }: History, { family, claimedMs }: Attempt, endedMs: number): Movement[] {
  if (family.followUpNano === 0) return [];
  const toMs = endedMs + limits.followUpMs;
  return [{ fromMs: claimedMs, toMs, afterMs: 0, lo: 0, hi: family.followUpNano, peak: family.followUpNano }];
}

function knownOf(history: History, verdicts: Verdicts, nowMs: number, attempt: Attempt): KnownAttempt {
  const { family, claimedMs, t0Ms, endSeenMs, isLost, truth, priceNano } = attempt;
  const told = verdicts.get(attempt.name);
  const facts = { name: attempt.name, timing: timingOf(family), claimedAtMs: claimedMs };
  if (told) {
    const endedAtMs = told.verdict === 'not_billed' ? told.goneMs : t0Ms + longestOf(history, attempt);
    return { ...facts, end: told.verdict, seenAtMs: told.atMs, endedAtMs, ...family.price };
  }
  const isAnswered = !isLost && family.flow === 'async' && t0Ms <= nowMs;
  const answered = isAnswered ? { createdAtMs: t0Ms } : {};
  const running = attempt.runningMs.findLast((atMs) => atMs <= nowMs);
  const polled = running === undefined ? {} : { runningAtMs: running };
  const isOver = !isLost && endSeenMs <= nowMs;
  if (!isOver) {
    const cost = { ...withFollowUp(family), laterNano: family.followUpNano };
    return { ...facts, ...answered, ...polled, end: 'open', endedAtMs: null, ...cost };
  }
  const cost = attempt.isMeasuredAtEnd ? { lo: priceNano, hi: priceNano } : family.price;
  const ended = { ...facts, ...answered, ...polled, endedAtMs: endSeenMs };
  return truth === 'good' ? { ...ended, end: 'charged', ...cost } : { ...ended, end: 'unbilled', ...family.price };
}

function timingOf({ flow, believed }: Family): ChargeTiming {
  if (flow === 'sync') return 'at-success';
  return ({ submit: 'at-submit', completion: 'at-completion', unknown: 'unknown' } as const)[believed];
}
