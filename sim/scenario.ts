import type { Assumptions } from '../emulator/model/assumptions.js';
import { formatCredits } from '../emulator/model/money.js';
import type { PriceRule } from '../emulator/model/prices.js';
import type { AmbiguityPolicy } from '../src/contract/account.js';
import type { Kind } from '../src/domain/kind.js';
import { type Assumption, assumptionsOf, drawWaits, type Waits } from './assumptions.js';
import { createRandom, type Random } from './engine/random.js';
import { drawRows } from './graphs.js';
import { FED_KINDS, type PlannedRow, ROW_KINDS, rowKindOf } from './rows.js';

/** What a seed plays: rows, plan, prices, and which faults there are. Everything comes from the seed's number. */

/** Faults and how likely each is where it can happen, once a seed has it at all. */
const FAULTS = {
  notSent: 0.06,
  lostUncreated: 0.08,
  lostCreated: 0.1,
  lateCreated: 0.06,
  errorUncreated: 0.05,
  errorCreated: 0.05,
  hang: 0.04,
  cutAnswer: 0.05,
  wrongAnswer: 0.03,
  handleInError: 0.05,
  cachedAnswer: 0.2,
  endOfCall: 0.1,
  badRequest: 0.03,
  tooMany: 0.06,
  unreachable: 0.1,
  renderFails: 0.15,
  followUp: 0.3,
  pollFails: 0.08,
  pollGone: 0.03,
  pollRefused: 0.03,
  readFails: 0.08,
  downloadFails: 0.15,
  downloadExpired: 0.06,
  crash: 1,
  stop: 1,
  wipe: 1,
  twoWorkers: 1,
  writeFails: 0.01,
  readSlow: 0.1,
  duplicate: 0.03,
  lostCompletion: 0.015,
  messageFails: 0.03,
  topUp: 1,
  discount: 1,
  outOfCredits: 1,
  badKey: 1,
  foreignJobs: 1,
  planChange: 1,
  cancel: 1,
} as const;
export type Fault = keyof typeof FAULTS;

/** Faults that are rarer than the rest, by how often a seed has them. */
const SELDOM: Partial<Record<Fault, number>> = {
  wipe: 0.12,
  outOfCredits: 0.1,
  badKey: 0.1,
  cancel: 0.1,
  planChange: 0.12,
  foreignJobs: 0.12,
  discount: 0.15,
  writeFails: 0.15,
  crash: 0.3,
  stop: 0.2,
};

export interface Scenario {
  seed: number;
  broken: Assumption | undefined;
  rows: PlannedRow[];
  policy: AmbiguityPolicy;
  exclusive: boolean;
  retries: number;
  plan: 'free' | 'pro';
  concurrency: number | null;
  /** List price of one unit by kind, nanocredits. */
  unitPrices: Record<Kind, number>;
  /** What the service charges, and by how much the product's prices are off. */
  prices: PriceRule[];
  priceError(kind: Kind): number;
  /** Its prices say how much of a unit there is at least. */
  saysLeast: boolean;
  /** What the product is told, and how it really is. */
  waits: Waits;
  assumptions: Assumptions;
  /** When each batch is started, ms of the seed: an account may live for weeks. */
  starts: Map<string, number>;
  /** 0 where the seed does not have the fault. */
  faults: Record<Fault, number>;
  /** How likely a person changes or removes a file that feeds others. */
  changesFiles: number;
  /** Events after which a workflow run hands over. */
  eventsMax: number;
  faultsEndMs: number;
  /** Faults happen for a while after each batch was started. */
  isTroubled(nowMs: number): boolean;
  random: Random;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The part of seeds whose rows feed one another. */
const CHAINS_SHARE = 0.15;
const LONG_BATCHES = ['b1', 'b2', 'b3', 'b4'];

export function createScenario(seed: number, broken: Assumption | undefined): Scenario {
  const random = createRandom(`seed ${seed}`).fork('scenario');
  const exclusive = random.chance(0.9);
  const kinds = Array.from({ length: random.int(1, 4) }, () => random.pick(ROW_KINDS).kind);
  const isLong = random.chance(0.2);
  const batches = isLong ? LONG_BATCHES : random.chance(0.25) ? ['b1', 'b2'] : ['b1'];
  const starts = drawStarts(random, batches, isLong);
  const troubleMs = random.int(5, 25) * MINUTE_MS;
  const waits = drawWaits(random);
  const alone = Array.from({ length: random.int(isLong ? 6 : 3, isLong ? 14 : 9) }, (_, i) => ({
    batch: random.pick(batches),
    id: `r${i}`,
    kind: random.pick(kinds),
    scriptLength: random.int(25, 295),
    fedBy: [],
  }));
  const sparse = (low: number): number => random.int(low, low * 10) * 1_000_000 + random.int(0, 9) * 100_000;
  const unitPrices: Scenario['unitPrices'] = Object.fromEntries(ROW_KINDS.map(({ kind }) => [kind, sparse(8)]));
  // Jobs that appear too late are rare, and few of them meet a verdict: enough of them when that is what is to be seen.
  const faults = { ...pickFaults(random), ...(broken === 'theta' ? { lateCreated: 0.3 } : {}) };
  // A source of its own: the other seeds stay as they are.
  const ofChains = random.fork('chains');
  const ofCopies = random.fork('copies');
  const rows = ofChains.chance(CHAINS_SHARE) ? batches.flatMap((batch) => drawRows(ofChains, ofCopies, batch)) : alone;
  const changesFiles = ofChains.chance(0.3) ? 0.5 : 0;
  for (const { kind } of FED_KINDS) unitPrices[kind] = ofChains.int(8, 80) * 1_000_000;
  return {
    seed,
    broken,
    rows,
    policy: exclusive && random.chance(0.8) ? 'if-proved' : 'hold',
    exclusive,
    retries: random.chance(0.3) ? random.int(1, 2) : 0,
    plan: random.pick(['free', 'pro'] as const),
    concurrency: random.chance(0.4) ? random.int(1, 4) : null,
    unitPrices,
    prices: pricesOf(unitPrices),
    priceError: (kind) => (broken === 'prices' ? random.fork(`price ${kind}`).between(0.98, 1.02) : 1),
    saysLeast: random.fork('least').chance(0.5),
    waits,
    assumptions: assumptionsOf(seed, broken, waits, faults.followUp > 0),
    starts,
    faults,
    changesFiles,
    eventsMax: random.chance(0.3) ? random.int(150, 600) : 1_200,
    faultsEndMs: Math.max(...starts.values()) + troubleMs,
    isTroubled: (nowMs) => [...starts.values()].some((startMs) => nowMs >= startMs && nowMs < startMs + troubleMs),
    random,
  };
}

/** Hours or days apart in a long life, else together. */
function drawStarts(random: Random, batches: readonly string[], isLong: boolean): Map<string, number> {
  let atMs = 0;
  return new Map(
    batches.map((batch, i) => {
      if (i > 0 && isLong)
        atMs += random.chance(0.5) ? random.between(0.5, 6) * HOUR_MS : random.between(6, 168) * HOUR_MS;
      return [batch, Math.round(atMs)];
    }),
  );
}

function pickFaults(random: Random): Record<Fault, number> {
  const share = random.between(0.1, 0.7);
  return Object.fromEntries(
    Object.entries(FAULTS).map(([fault, likelihood]) => {
      const isThere = random.chance(SELDOM[fault as Fault] ?? share);
      return [fault, isThere ? likelihood * random.between(0.4, 1) : 0];
    }),
  ) as Record<Fault, number>;
}

function pricesOf(unitPrices: Scenario['unitPrices']): PriceRule[] {
  return Object.entries(unitPrices).map(([kind, nano]) => ({
    kind: kind as PriceRule['kind'],
    components: [{ unit: rowKindOf(kind).unit, credits: formatCredits(nano) }],
  }));
}
