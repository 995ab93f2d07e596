import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { roundedNano } from '../assumptions.js';
import { EPOCH_MS, type Sim } from '../engine/current.js';
import type { Random } from '../engine/random.js';
import type { Scenario } from '../scenario.js';

/** The account's money and plan as they really are, and as they are shown. */

export interface Movement {
  atMs: number;
  /** Negative for a charge. */
  nano: number;
  /** When a reading shows it. */
  shownAtMs: number;
  job: number | undefined;
}

export interface AccountModel {
  plan: { rpm: number; concurrent: number };
  movements: Movement[];
  move(atMs: number, nano: number, job?: number): void;
  /** Without any delay. */
  trueNano(): number;
  shownNano(): number;
  /** The fraction of list price that an entrypoint pays at a time. */
  multiplier(entrypoint: string | null, atMs: number): number;
  discounts(): object[];
  isKeyGood(): boolean;
  /** Which key the product has: the one that failed is replaced when its time is over. */
  keyMark(): string;
  foreignJobs(): number;
}

const MINUTE_MS = 60_000;
/** A lag beyond what the product was told, where that assumption is broken. */
const BROKEN_LAG = 6;

export function createAccountModel(sim: Sim, scenario: Scenario): AccountModel {
  const random = sim.random.fork('account');
  const { faults, broken, faultsEndMs, waits, truth } = scenario;
  const now = (): number => sim.scheduler.now();
  const lagMaxMs = broken === 'lambda' ? waits.lambdaMs * BROKEN_LAG : truth.lagMs;
  // Little enough that some seeds run out before they have finished.
  const startNano = (faults.outOfCredits > 0 ? random.int(1, 3) : 1_000) * NANO_PER_CREDIT;
  const discount = discountWindow(scenario, random);
  const window = (length: number): [number, number] => {
    const from = random.between(0, faultsEndMs * 0.8);
    return [from, Math.min(faultsEndMs, from + length)];
  };
  const badKey = faults.badKey > 0 ? window(random.between(10_000, 4 * MINUTE_MS)) : undefined;
  const foreign = faults.foreignJobs > 0 ? window(random.between(MINUTE_MS, 10 * MINUTE_MS)) : undefined;
  const foreignCount = random.int(1, 3);
  const isIn = (span: [number, number] | undefined): boolean =>
    span !== undefined && now() >= span[0] && now() < span[1];
  const movements: Movement[] = [];

  const account: AccountModel = {
    plan: { ...scenario.plan },
    movements,
    move(atMs, nano, job) {
      const own = movements.filter((one) => job !== undefined && one.job === job);
      // A refund is not shown before the charge that it gives back.
      const soonestMs = Math.max(atMs, ...own.map((one) => one.shownAtMs));
      const shownAtMs = Math.max(soonestMs, atMs + (truth.isCopied ? 0 : random.between(0, lagMaxMs)));
      movements.push({ atMs, nano, shownAtMs, job });
    },
    trueNano: () => startNano + movements.filter((m) => m.atMs <= now()).reduce((sum, m) => sum + m.nano, 0),
    shownNano() {
      // A copy of the books that is some time old: the next reading may come from an older one.
      const seenMs = now() - (truth.isCopied ? random.between(0, lagMaxMs) : 0);
      const nano = startNano + movements.filter((m) => m.shownAtMs <= seenMs).reduce((sum, m) => sum + m.nano, 0);
      return roundedNano(truth, nano);
    },
    multiplier: (entrypoint, atMs) =>
      discount && entrypoint === discount.entrypoint && atMs >= discount.fromMs && atMs < discount.toMs
        ? discount.multiplier
        : 1,
    discounts: () =>
      discount && now() >= discount.fromMs && now() < discount.toMs
        ? [
            {
              entrypoint: discount.entrypoint,
              multiplier: discount.multiplier,
              effective_from: iso(discount.fromMs),
              effective_to: iso(discount.toMs),
            },
          ]
        : [],
    isKeyGood: () => !isIn(badKey),
    keyMark: () => (badKey !== undefined && now() >= badKey[1] ? 'second' : 'first'),
    foreignJobs: () => (isIn(foreign) ? foreignCount : 0),
  };
  comeAndGo(sim, scenario, account, random);
  return account;
}

/** Purchases, plan changes and, where the account is not ours alone, what others spend. */
function comeAndGo({ scheduler }: Sim, scenario: Scenario, account: AccountModel, random: Random): void {
  const { faults, faultsEndMs, broken } = scenario;
  const later = (): number => random.between(10_000, faultsEndMs);
  const topUps = faults.topUp > 0 ? random.int(1, 2) : 0;
  for (let i = 0; i < topUps; i += 1) {
    scheduler.after(later(), () =>
      account.move(scheduler.now(), random.pick([5, random.int(5, 60), random.int(5, 5_000)]) * NANO_PER_CREDIT),
    );
  }
  if (faults.outOfCredits > 0) {
    // Somebody buys within a day and a half.
    const boughtMs = Math.min(faultsEndMs, random.between(0.1, 36) * 60 * MINUTE_MS);
    scheduler.after(boughtMs, () => account.move(scheduler.now(), 500 * NANO_PER_CREDIT));
  }
  if (faults.planChange > 0) {
    scheduler.after(later(), () => {
      account.plan = random.pick([
        { rpm: 60, concurrent: 5 },
        { rpm: 200, concurrent: 10 },
      ]);
    });
  }
  if (broken === 'exclusive' || !scenario.exclusive) {
    const prices = Object.values(scenario.unitPrices);
    const count = random.int(2, 8);
    for (let i = 0; i < count; i += 1) {
      scheduler.after(later(), () =>
        account.move(scheduler.now(), -random.pick(prices) * random.pick([1, 4, 5, 6, 8])),
      );
    }
  }
}

function discountWindow({ faults, faultsEndMs }: Scenario, random: Random) {
  const fromMs = Math.round(random.between(-10 * MINUTE_MS, faultsEndMs));
  const drawn = {
    entrypoint: random.pick(['svc', 'vendor-a', 'vendor-b', 'vendor-f']),
    multiplier: random.pick([0.5, 0.8, 0.9]),
    fromMs,
    toMs: Math.round(fromMs + random.between(5 * MINUTE_MS, 60 * MINUTE_MS)),
  };
  return faults.discount > 0 ? drawn : undefined;
}

function iso(atMs: number): string {
  return new Date(EPOCH_MS + atMs).toISOString();
}
