import type { Verdict } from '../src/domain/attempt.js';
import type { Violation } from './check/reporter.js';
import type { JudgedCase } from './check/verdicts.js';
import type { ChargeTime } from './rows.js';
import type { SeedResult } from './seed.js';

/** Sums over many seeds: plain data, so that processes can hand theirs over. */

export interface Tally {
  seeds: number;
  rows: number;
  submits: number;
  ambiguous: number;
  jobs: number;
  virtualMs: number;
  /** Of all requests until the batches ended: those that were neither submit nor poll, and the plan's allowance. */
  extra: Record<'calm' | 'all', { requests: number; allowed: number }>;
  /** Slots that were in use, and slots that stayed free for nothing but the quiet while rows waited, slot-ms. */
  slotMs: number;
  quietSlotMs: number;
  verdicts: Record<Verdict | 'late answer', { right: number; wrong: number }>;
  /** Cases on accounts that are declared exclusive. */
  settled: Record<PriceClass, Settled>;
  /** How rows that others feed ended, and how they did once failed ones were ordered to go on. */
  fedEnds: Record<'first' | 'retried', Record<string, number>>;
  /** Undecided cases on accounts that are declared exclusive, by why. */
  undecided: Record<string, number>;
  /** The same of those that stood alone. */
  undecidedAlone: Record<string, number>;
  /** Cases that were settled by count with others of their price. */
  byGroup: number;
  /** Bills that were right when they were found, and were given back without a reading that showed it. */
  givenBack: number;
  /** Wrong verdicts, the first few. */
  wrong: { seed: number; what: string }[];
  timesMs: Record<ChargeTime, number[]>;
  breaches: Record<string, number>;
  failed: { seed: number; hash: string; violations: Violation[]; history: string[] }[];
  /** Seeds that were played twice, and those that were not the same the second time. */
  replayed: number;
  differing: number[];
}

/** Cases, those among them that are twins, stand alone (and can be shown), or are plain, and how many of each were settled. */
const GROUPS = ['all', 'twins', 'alone', 'shown', 'plain'] as const;
export type Settled = Record<(typeof GROUPS)[number], { cases: number; settled: number }>;

/** An avatar's length is known only when it has ended: it stands apart. */
type PriceClass = 'exact' | 'range' | 'avatar';

const FAILED_MAX = 20;
const WRONG_MAX = 20;
const HISTORY_SHOWN = 60;

export function newTally(): Tally {
  const none = () => ({ right: 0, wrong: 0 });
  return {
    seeds: 0,
    rows: 0,
    submits: 0,
    ambiguous: 0,
    jobs: 0,
    virtualMs: 0,
    verdicts: { billed: none(), not_billed: none(), undecided: none(), 'late answer': none() },
    extra: { calm: { requests: 0, allowed: 0 }, all: { requests: 0, allowed: 0 } },
    slotMs: 0,
    quietSlotMs: 0,
    settled: {
      exact: newSettled(),
      range: newSettled(),
      avatar: newSettled(),
    },
    fedEnds: { first: {}, retried: {} },
    undecided: {},
    undecidedAlone: {},
    byGroup: 0,
    givenBack: 0,
    wrong: [],
    timesMs: { 'at-success': [], 'at-submit': [], 'at-completion': [], anywhere: [] },
    breaches: {},
    failed: [],
    replayed: 0,
    differing: [],
  };
}

function newSettled(): Settled {
  return Object.fromEntries(GROUPS.map((group) => [group, { cases: 0, settled: 0 }])) as Settled;
}

export function addSeed(tally: Tally, result: SeedResult): void {
  tally.seeds += 1;
  for (const name of ['rows', 'submits', 'ambiguous', 'jobs', 'virtualMs', 'slotMs', 'quietSlotMs'] as const) {
    tally[name] += result[name];
  }
  for (const which of result.ambiguous === 0 ? (['all', 'calm'] as const) : (['all'] as const)) {
    tally.extra[which].requests += result.extraRequests;
    tally.extra[which].allowed += result.allowedRequests;
  }
  const [first = {}, retried = {}] = result.fedEnds;
  addUp(tally.fedEnds, { first, retried });
  for (const one of result.cases) addCase(tally, one, result.seed);
  for (const { rule } of result.violations) tally.breaches[rule] = (tally.breaches[rule] ?? 0) + 1;
  if (result.violations.length === 0 || tally.failed.length >= FAILED_MAX) return;
  const { seed, hash, violations, history } = result;
  tally.failed.push({ seed, hash, violations, history: shortHistory(history, violations) });
}

function addCase(tally: Tally, one: JudgedCase, seed: number): void {
  const { verdict, isRight, exclusive, charge, toVerdictMs, isTwin, isAlone, isShown, why } = one;
  tally.verdicts[verdict][isRight ? 'right' : 'wrong'] += 1;
  if (one.isGivenBack) tally.givenBack += 1;
  if (!isRight && tally.wrong.length < WRONG_MAX) tally.wrong.push({ seed, what: one.told });
  if (!exclusive) return;
  const settled = tally.settled[priceClassOf(one)];
  if (one.isByGroup) tally.byGroup += 1;
  const isPlain = !isTwin && !one.isBesideFollowUps;
  const groups = { all: true, twins: isTwin, alone: isAlone, shown: isAlone && isShown, plain: isPlain };
  for (const group of GROUPS.filter((name) => groups[name])) {
    settled[group].cases += 1;
    if (verdict !== 'undecided') settled[group].settled += 1;
  }
  if (why !== undefined) {
    const reason = isTwin ? 'another lost answer of the same price was billed, or this one was' : why;
    tally.undecided[reason] = (tally.undecided[reason] ?? 0) + 1;
    if (isAlone) tally.undecidedAlone[reason] = (tally.undecidedAlone[reason] ?? 0) + 1;
  }
  if (verdict === 'billed' || verdict === 'not_billed') tally.timesMs[charge].push(toVerdictMs);
}

function priceClassOf({ isAvatar, isExact }: JudgedCase): PriceClass {
  if (isAvatar) return 'avatar';
  return isExact ? 'exact' : 'range';
}

/** The lines that name the rows of the breaches, up to the last one. */
function shortHistory(history: string[], violations: Violation[]): string[] {
  const rows = violations.flatMap(({ what }) => what.match(/\bb\d\/r\d+/g) ?? []);
  const wanted = history.filter((line) => line.includes('BREACH') || rows.some((row) => line.includes(row)));
  return (rows.length > 0 ? wanted : history).slice(-HISTORY_SHOWN);
}

export function merge(into: Tally, other: Tally): void {
  addUp(into, other);
  into.failed.splice(FAILED_MAX);
  into.wrong.splice(WRONG_MAX);
}

/** Numbers are added, lists joined, and so is what is inside. */
function addUp(into: object, other: object): void {
  const sums = into as Record<string, unknown>;
  for (const [name, value] of Object.entries(other)) {
    const known = sums[name];
    if (Array.isArray(known)) known.push(...value);
    else if (typeof known === 'object' && known !== null) addUp(known, value);
    else sums[name] = typeof known === 'number' ? known + value : value;
  }
}
