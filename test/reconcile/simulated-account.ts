// An account in virtual time: known jobs, lost answers, refunds, purchases and a late balance, with the truth at hand.
import type { Verdict } from '../../src/domain/attempt.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { CaseFacts, ChargeTiming, Checkpoint } from '../../src/reconcile/evidence.js';
import { chargesOf, type KnownAttempt } from '../../src/reconcile/known-attempt.js';
import { settle } from '../../src/reconcile/settle.js';

export interface SimulationOptions {
  /** How well prices are known: 0 = exactly, 0.02 = ±2 %. */
  priceError: number;
  /** Purchases happen. */
  topUps: boolean;
}

export interface SimulatedCase {
  verdict: Verdict;
  /** It was charged and kept; `refunded` = charged, then given back. */
  truth: 'billed' | 'refunded' | 'not_billed';
  timing: ChargeTiming;
  tookMs: number;
}

interface Money {
  atMs: number;
  nano: number;
}

interface Job {
  timing: ChargeTiming;
  startMs: number;
  createdMs: number;
  endMs: number;
  nano: number;
  isGood: boolean;
}

const second = 1_000;
const minute = 60 * second;
const LAMBDA = 2 * minute;
const THETA = 3 * minute;
const T0 = 10_000 * minute;
const PRICES = [0.28, 0.4, 0.05, 0.9, 0.0123].map((price) => Math.round(price * NANO_PER_CREDIT));
const FAMILIES: { timing: ChargeTiming; seconds: [number, number]; renderMaxMs: number }[] = [
  { timing: 'at-success', seconds: [2, 20], renderMaxMs: 2 * minute },
  { timing: 'at-submit', seconds: [60, 240], renderMaxMs: 30 * minute },
  { timing: 'at-completion', seconds: [60, 600], renderMaxMs: 60 * minute },
  { timing: 'unknown', seconds: [30, 180], renderMaxMs: 60 * minute },
];

/** Runs one account until every case has its verdict. The same seed gives the same account. */
export function simulate(seed: number, { priceError, topUps }: SimulationOptions): SimulatedCase[] {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const between = (lo: number, hi: number): number => lo + random() * (hi - lo);
  const money: Money[] = [];
  const family = pick(FAMILIES);
  const newJob = (startMs: number, { timing, seconds } = pick(FAMILIES)): Job => {
    const createdMs = startMs + between(0.1, 3) * second;
    const endMs = createdMs + between(...seconds) * second;
    return { timing, startMs, createdMs, endMs, nano: pick(PRICES), isGood: random() < 0.9 };
  };
  // Work before the lost answer and until Θ after it; then the account is quiet until Λ has passed.
  const known = Array.from({ length: Math.floor(random() * 12) }, () => newJob(T0 + between(-8 * minute, THETA)));
  for (const job of known) pay(job);
  const cases = Array.from({ length: random() < 0.8 ? 1 : 2 }, (_, i) => {
    const job = newJob(T0 + i * between(0, minute), family);
    const created = random() < 0.5;
    // Created at once, or up to Θ after we gave up; a synchronous call has ended after two minutes in any case.
    const latestMs = family.timing === 'at-success' ? 2 * minute - 23 * second : THETA;
    const lateMs = random() < 0.2 ? between(0, latestMs) : 0;
    const late = { ...job, createdMs: job.createdMs + lateMs, endMs: job.endMs + lateMs };
    if (created) pay(late);
    return { job, truth: !created ? 'not_billed' : outcomeOf(late), created } as const;
  });
  if (topUps && random() < 0.3)
    money.push({ atMs: T0 + between(-4, 8) * minute, nano: pick([5, 20, 50]) * NANO_PER_CREDIT });
  money.sort((a, b) => a.atMs - b.atMs);

  const checkpoints: Checkpoint[] = [];
  for (let atMs = T0 - 9 * minute; atMs < T0; atMs += minute) read(atMs);
  const facts = cases.map(({ job }, i) => factsOf(job, i));
  const open = new Set(facts);
  const settled = new Map<CaseFacts, { verdict: Verdict; atMs: number }>();
  for (let nowMs = T0 + 5 * second; open.size > 0 && nowMs < T0 + 300 * minute; ) {
    read(nowMs);
    let nextMs = nowMs + minute;
    for (const subject of [...open]) {
      if (subject.claimedAtMs >= nowMs) continue;
      const rivals = [...open].filter((one) => one !== subject && one.claimedAtMs < nowMs);
      const charges = [
        ...known.filter(({ startMs }) => startMs < nowMs).map((job) => knownAt(job, nowMs)),
        ...ended(),
      ].flatMap(chargesOf);
      const seen = settle({
        nowMs,
        exclusive: true,
        thetaMs: THETA,
        lambdaMs: LAMBDA,
        checkpoints,
        charges,
        subject,
        rivals,
      });
      if (seen.outcome === 'wait') nextMs = Math.min(nextMs, Math.max(seen.untilMs, nowMs + second));
      else {
        open.delete(subject);
        settled.set(subject, { verdict: seen.verdict, atMs: nowMs });
      }
    }
    nowMs = nextMs;
  }
  return facts.map((fact, i) => {
    const { verdict, atMs } = settled.get(fact) ?? { verdict: 'undecided' as const, atMs: nowhere };
    return { verdict, truth: cases[i]?.truth ?? 'not_billed', timing: fact.charge, tookMs: atMs - fact.claimedAtMs };
  });

  function pay({ timing, createdMs, endMs, nano, isGood }: Job): void {
    const atSubmit = timing === 'at-submit' || (timing === 'unknown' && nano % 2 === 0 && random() < 0.5);
    if (atSubmit) money.push({ atMs: createdMs, nano: -nano });
    if (atSubmit && !isGood) money.push({ atMs: endMs, nano });
    if (!atSubmit && isGood) money.push({ atMs: endMs, nano: -nano });
  }

  /** A reading is late by anything up to Λ, each by its own. */
  function read(atMs: number): void {
    const shownMs = atMs - random() * LAMBDA;
    const nano = money.reduce((sum, one) => (one.atMs <= shownMs ? sum + one.nano : sum), 100 * NANO_PER_CREDIT);
    checkpoints.push({ atMs, balanceNano: nano });
  }

  function priced(nano: number): { lo: number; hi: number } {
    return { lo: Math.round(nano * (1 - priceError)), hi: Math.round(nano * (1 + priceError)) };
  }

  function knownAt(job: Job, nowMs: number): KnownAttempt {
    const { timing, startMs, createdMs, endMs, nano, isGood } = job;
    const lastPollMs = createdMs + Math.floor((Math.min(nowMs, endMs) - createdMs) / (10 * second)) * 10 * second;
    const times = {
      timing,
      claimedAtMs: startMs,
      ...(createdMs < nowMs ? { createdAtMs: createdMs } : {}),
      ...(timing !== 'at-success' && lastPollMs > createdMs ? { runningAtMs: lastPollMs } : {}),
    };
    // The end is seen by the next poll.
    const seenEndMs = timing === 'at-success' ? endMs : endMs + 10 * second;
    if (seenEndMs > nowMs) return { ...times, end: 'open', endedAtMs: null, ...priced(nano) };
    return { ...times, end: isGood ? 'charged' : 'unbilled', endedAtMs: seenEndMs, ...priced(nano) };
  }

  function factsOf({ timing, startMs, createdMs, nano }: Job, i: number): CaseFacts {
    return {
      name: `b/lost-${i}/1`,
      claimedAtMs: startMs,
      gaveUpAtMs: createdMs,
      flow: timing === 'at-success' ? 'sync' : 'async',
      charge: timing,
      expected: priced(nano),
      renderMaxMs: family.renderMaxMs,
      syncMaxMs: 2 * minute,
    };
  }

  /** Cases that have their verdict, as the book has them. */
  function ended(): KnownAttempt[] {
    return [...settled].flatMap(([fact, { verdict, atMs }]): KnownAttempt[] => {
      if (verdict === 'not_billed') return [];
      const { charge: timing, claimedAtMs, renderMaxMs, expected } = fact;
      const endedAtMs = claimedAtMs + THETA + renderMaxMs;
      return [
        {
          timing,
          claimedAtMs,
          end: verdict,
          endedAtMs,
          seenAtMs: atMs,
          lo: expected?.lo ?? 0,
          hi: expected?.hi ?? null,
        },
      ];
    });
  }
}

const nowhere = Number.POSITIVE_INFINITY;

/** Charged and kept, charged and given back, or never charged: an attempt that failed costs nothing in the end. */
function outcomeOf({ timing, isGood }: Job): SimulatedCase['truth'] {
  if (isGood) return 'billed';
  return timing === 'at-submit' || timing === 'unknown' ? 'refunded' : 'not_billed';
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
