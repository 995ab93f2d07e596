import { formatCredits } from '../emulator/model/money.js';
import type { Steering } from '../emulator/model/steering.js';
import { EPOCH_MS, type Sim } from './engine/current.js';
import type { Random } from './engine/random.js';
import type { Scenario } from './scenario.js';

/** What comes over an account while a seed lasts: purchases, other plans, strangers, a key that fails, a discount. */

export const KEYS = ['sk-svc-first', 'sk-svc-second'] as const;
const MINUTE_MS = 60_000;

/** Purchases, plan changes and what others do on the account. */
export function comeAndGo({ scheduler }: Sim, scenario: Scenario, steering: Steering, random: Random): void {
  const { faults, faultsEndMs, broken } = scenario;
  const later = (): number => random.between(10_000, faultsEndMs);
  const topUps = faults.topUp > 0 ? random.int(1, 2) : 0;
  for (let i = 0; i < topUps; i += 1) {
    const credits = random.pick([5, random.int(5, 60), random.int(5, 5_000)]);
    scheduler.after(later(), () => steering.topUp(String(credits)));
  }
  if (faults.outOfCredits > 0) {
    // Somebody buys within a day and a half.
    const boughtMs = Math.min(faultsEndMs, random.between(0.1, 36) * 60 * MINUTE_MS);
    scheduler.after(boughtMs, () => steering.topUp('500'));
  }
  if (faults.planChange > 0) {
    const plan = random.pick(['free', 'pro'] as const);
    scheduler.after(later(), () => steering.setPlan(plan));
  }
  if (faults.foreignJobs > 0) {
    const [fromMs, toMs] = windowOf(scenario, random, random.between(MINUTE_MS, 10 * MINUTE_MS));
    const count = random.int(1, 3);
    scheduler.after(fromMs, () => steering.setForeignJobs(count));
    scheduler.after(toMs, () => steering.setForeignJobs(0));
  }
  if (broken !== 'exclusive' && scenario.exclusive) return;
  const unitPrices = Object.values(scenario.unitPrices);
  for (let i = random.int(2, 8); i > 0; i -= 1) {
    const nano = random.pick(unitPrices) * random.pick([1, 4, 5, 6, 8]);
    scheduler.after(later(), () => steering.foreignSpend(formatCredits(nano)));
  }
}

/** The key stops working for a while, and another is given. */
export function changeKeys({ scheduler }: Sim, scenario: Scenario, steering: Steering, random: Random): () => string {
  if (scenario.faults.badKey === 0) return () => 'first';
  const [fromMs, toMs] = windowOf(scenario, random, random.between(10_000, 4 * MINUTE_MS));
  const expired = { key: KEYS[0], state: 'expired' } as const;
  scheduler.after(fromMs, () => steering.setKeys([expired]));
  scheduler.after(toMs, () => steering.setKeys([expired, { key: KEYS[1], state: 'active' }]));
  return () => (scheduler.now() >= toMs ? 'second' : 'first');
}

function windowOf({ faultsEndMs }: Scenario, random: Random, length: number): [fromMs: number, toMs: number] {
  const fromMs = random.between(0, faultsEndMs * 0.8);
  return [fromMs, Math.min(faultsEndMs, fromMs + length)];
}

export function discountOf({ faults, faultsEndMs }: Scenario, random: Random) {
  const fromMs = random.between(-10 * MINUTE_MS, faultsEndMs);
  const toMs = fromMs + random.between(5 * MINUTE_MS, 60 * MINUTE_MS);
  const iso = (atMs: number): string => new Date(EPOCH_MS + Math.round(atMs)).toISOString();
  const drawn = {
    entrypoint: random.pick(['svc', 'vendor-a', 'vendor-b', 'vendor-f'] as const),
    multiplier: random.pick([0.5, 0.8, 0.9]),
    effective_from: iso(fromMs),
    effective_to: iso(toMs),
  };
  return faults.discount > 0 ? [drawn] : [];
}
