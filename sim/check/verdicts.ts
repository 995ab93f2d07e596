import type { Verdict } from '../../src/domain/attempt.js';
import { type CreditsRange, NANO_PER_CREDIT } from '../../src/domain/money.js';
import { EPOCH_MS } from '../engine/current.js';
import { type ChargeTime, rowKindOf } from '../rows.js';
import type { Scenario } from '../scenario.js';
import { costNano, type Job, type SimService } from '../service.js';
import type { LedgerWatch } from './ledger-watch.js';

/** Judges every verdict by what the service really did: I10, and how often the credits check settles a case. */

export interface JudgedCase {
  charge: ChargeTime;
  exclusive: boolean;
  /** The price was one figure, not a range that only the finished job narrows. */
  isExact: boolean;
  isAvatar: boolean;
  verdict: Verdict | 'late answer';
  /** `undecided` is neither. */
  isRight: boolean;
  /** Settled by count with others of its price. */
  isByGroup: boolean;
  /** Billed at the time of the verdict, and given back since, which no reading has shown yet. */
  isGivenBack: boolean;
  /** The attempt and what was said of it. */
  told: string;
  toVerdictMs: number;
  /**
   * Another answer was lost at the same time whose job costs the same, and one of the two was billed, the other not:
   * no balance can tell which.
   */
  isTwin: boolean;
  /** No other answer was lost while this case was open. */
  isAlone: boolean;
  /** The least that it can cost is more than the rounding of two balances hides: else no balance shows "not billed". */
  isShown: boolean;
  /**
   * A motion-control job ran on the account: it may be charged more after its end, by an amount that nobody knows
   * (service document 2, motion control), so that not all prices are known.
   */
  isBesideFollowUps: boolean;
  /** Why it stays open, of an `undecided`. */
  why: string | undefined;
}

/** A bill may be told of the reading before, where a new one fails. */
const READ_AGE_MAX_MS = 60_000;

interface Judged {
  judged: JudgedCase;
  fromMs: number;
  toMs: number;
  expected: CreditsRange | null;
  wasBilled: boolean;
}

export function judgeVerdicts(
  scenario: Scenario,
  ledger: LedgerWatch,
  service: SimService,
  report: (rule: string, what: string) => void,
): JudgedCase[] {
  const isCase = (word: string): boolean => word === 'unknown' || word === 'created_lost';
  const all = ledger.attempts().flatMap((attempt): Judged[] => {
    if (!attempt.states.some(({ state }) => isCase(state.state))) return [];
    const [claim] = attempt.states;
    const last = attempt.states.at(-1);
    const found = ledger.verdicts.filter((one) => one.row === attempt.row && one.n === attempt.n).at(-1);
    const post = service.posts.find((one) => one.row === attempt.row && one.attempt === attempt.n);
    if (claim?.state.state !== 'intent' || !last) return [];
    const { kind, expected } = claim.state;
    const cost = post?.jobs.reduce((sum, job) => sum + costNano(job), 0) ?? 0;
    const verdict: JudgedCase['verdict'] = last.state.state === 'verdict' && found ? found.verdict : 'late answer';
    // What is reserved and given back later was billed when the verdict's reading was made, or Λ before: the balance is late.
    const readMs = Math.min(last.atMs - READ_AGE_MAX_MS, shownMs(found?.sentence ?? '', last.atMs));
    const wasBilled = wasCharged(service, post?.jobs ?? [], readMs - scenario.waits.lambdaMs, last.atMs);
    const isByGroup = found?.group !== undefined;
    // Of a group the count is judged, not which of its members were billed.
    const isRight =
      isByGroup || (verdict === 'billed' ? wasBilled || cost > 0 : verdict !== 'not_billed' || cost === 0);
    if (verdict === 'not_billed' && !isRight) {
      report('I10', `${attempt.row} attempt ${attempt.n} cost ${cost} and was called not billed: ${found?.sentence}`);
    }
    const isExact = expected !== null && expected.lo === expected.hi;
    const isShown = expected !== null && expected.lo > 2 * roundingOf(scenario);
    const toVerdictMs = last.atMs - claim.atMs;
    const why = verdict === 'undecided' ? whyOpen(found?.sentence ?? '', service) : undefined;
    const { exclusive } = scenario;
    const text = `${attempt.row} attempt ${attempt.n}, ${verdict}: ${found?.sentence ?? 'no verdict'}`;
    const told = { verdict, isRight, isByGroup, told: text, toVerdictMs, why } as const;
    const isGivenBack = verdict === 'billed' && cost === 0 && wasBilled;
    const alone = { isTwin: false, isAlone: true, isBesideFollowUps: mayFollowUp(service) };
    const judged: JudgedCase = {
      charge: rowKindOf(kind).charge,
      exclusive,
      isExact,
      isShown,
      isAvatar: kind === 'vendor-b/avatar',
      ...told,
      isGivenBack,
      ...alone,
    };
    return [{ judged, fromMs: claim.atMs, toMs: last.atMs, expected, wasBilled: cost > 0 }];
  });
  return all.map((one) => ({
    ...one.judged,
    isTwin: all.some((other) => areTwins(one, other)),
    isAlone: !all.some((other) => other !== one && overlap(one, other)),
  }));
}

const DAY_MS = 86_400_000;

/** The reading that a bill rests on, by what is said of it; what came later may not have told yet that it came back. */
function shownMs(sentence: string, saidMs: number): number {
  const [, time] = /between [\d:]{8} and ([\d:]{8});/.exec(sentence) ?? [];
  if (time === undefined) return saidMs;
  const ofDayMs = Date.parse(`1970-01-01T${time}Z`);
  const saidOfDayMs = (EPOCH_MS + saidMs) % DAY_MS;
  return saidMs - ((saidOfDayMs - ofDayMs + DAY_MS) % DAY_MS);
}

/** One unit of the last place of this account's balances, nanocredits. */
function roundingOf({ assumptions }: Scenario): number {
  return NANO_PER_CREDIT / 10 ** assumptions.balanceDecimals;
}

function areTwins(one: Judged, other: Judged): boolean {
  const { expected } = one;
  if (expected === null || expected.lo !== other.expected?.lo || expected.hi !== other.expected.hi) return false;
  return one.wasBilled !== other.wasBilled && overlap(one, other);
}

function overlap(one: Judged, other: Judged): boolean {
  return one.fromMs < other.toMs && other.fromMs < one.toMs;
}

/** What kept the balance from telling, by the sentence of the verdict and what ran beside it. */
function whyOpen(sentence: string, service: SimService): string {
  if (sentence.includes('not declared exclusive')) return 'not exclusive';
  if (/rose by|top-up|purchase/.test(sentence)) return 'a purchase may hide it';
  if (sentence.includes('someone else')) return 'someone else seems to spend';
  if (sentence.includes('no balance was read') || sentence.includes('was not read since')) return 'no reading';
  if (/answers? (is|are) lost as well|too many/.test(sentence)) return 'several lost at once';
  return mayFollowUp(service)
    ? 'a follow-up of motion-control may explain it'
    : 'open or undecided jobs may explain it';
}

function mayFollowUp({ jobs }: SimService): boolean {
  return jobs.some(({ kind }) => kind === 'vendor-a/motion-control');
}

/** True when the jobs were charged at some time between two. */
function wasCharged({ world }: SimService, jobs: Job[], fromMs: number, toMs: number): boolean {
  const { events } = world.accounts.get('default').balance;
  const ours = events.filter((one) => jobs.some((job) => job.record.id === one.jobId));
  const at = (ms: number): number =>
    ours.reduce((sum, one) => sum + (one.atMs - EPOCH_MS <= ms ? one.amountNano : 0), 0);
  const moments = ours.map((one) => one.atMs - EPOCH_MS).filter((atMs) => atMs > fromMs && atMs < toMs);
  return [fromMs, toMs, ...moments].some((ms) => at(ms) < 0);
}
