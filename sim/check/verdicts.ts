import type { Verdict } from '../../src/domain/attempt.js';
import type { Scenario } from '../scenario.js';
import { familyOf } from '../service/families.js';
import type { ChargeTime } from '../service/family.js';
import type { Job } from '../service/jobs-model.js';
import type { ServiceModel } from '../service/service-model.js';
import type { LedgerWatch } from './ledger-watch.js';

/** Judges every verdict by what the service really did: I10, and how often the credits check settles a case. */

export interface JudgedCase {
  charge: ChargeTime;
  exclusive: boolean;
  /** The price was one figure, not a range that only the finished job narrows. */
  isExact: boolean;
  verdict: Verdict | 'late answer';
  /** `undecided` is neither. */
  isRight: boolean;
  toVerdictMs: number;
}

export function judgeVerdicts(
  scenario: Scenario,
  ledger: LedgerWatch,
  service: ServiceModel,
  report: (rule: string, what: string) => void,
): JudgedCase[] {
  const isCase = (word: string): boolean => word === 'unknown' || word === 'created_lost';
  return ledger.attempts().flatMap((attempt): JudgedCase[] => {
    if (!attempt.states.some(({ state }) => isCase(state.state))) return [];
    const [claim] = attempt.states;
    const last = attempt.states.at(-1);
    const found = ledger.verdicts.filter((one) => one.row === attempt.row && one.n === attempt.n).at(-1);
    const post = service.submits.posts.find((one) => one.row === attempt.row && one.attempt === attempt.n);
    if (claim?.state.state !== 'intent' || !last) return [];
    const { kind, expected } = claim.state;
    const family = post?.family ?? familyOf(kind);
    const costNano = post?.jobs.reduce((sum, job) => sum + job.netNano, 0) ?? 0;
    const verdict = last.state.state === 'verdict' && found ? found.verdict : 'late answer';
    // What is reserved and given back later was billed when the verdict was given.
    const wasBilled = isCharged(service, post?.jobs ?? [], last.atMs);
    const isRight = verdict === 'billed' ? wasBilled || costNano > 0 : verdict !== 'not_billed' || costNano === 0;
    if (verdict === 'not_billed' && !isRight) {
      report(
        'I10',
        `${attempt.row} attempt ${attempt.n} cost ${costNano} and was called not billed: ${found?.sentence}`,
      );
    }
    const isExact = expected !== null && expected.lo === expected.hi;
    const toVerdictMs = last.atMs - claim.atMs;
    return [{ charge: family.charge, exclusive: scenario.exclusive, isExact, verdict, isRight, toVerdictMs }];
  });
}

function isCharged({ account }: ServiceModel, jobs: Job[], atMs: number): boolean {
  const ours = account.movements.filter((one) => one.atMs <= atMs && jobs.some((job) => job.number === one.job));
  return ours.reduce((sum, one) => sum + one.nano, 0) < 0;
}
