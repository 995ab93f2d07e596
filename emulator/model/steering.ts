/** What tests and control endpoints may change while the emulator runs. */

import type { FaultRule } from '../faults/faults.js';
import type { Caps, Plan } from './accounts.js';
import { hurry } from './billing.js';
import type { KeyOption } from './keys.js';
import { parseCredits } from './money.js';
import type { Discount } from './prices.js';
import type { World } from './world.js';

/** Changes of the running service; `account` is `default` where it is left out. */
export interface Steering {
  /** Replaces all fault rules; their counts start anew. */
  setFaults(rules: readonly FaultRule[]): void;
  /** Adds credits (decimal string). */
  topUp(credits: string, account?: string): void;
  /** Spends credits as if someone else used the account. */
  foreignSpend(credits: string, account?: string): void;
  setPlan(plan: Plan, account?: string): void;
  /** Caps that no plan has; the requests per minute are taken as given, whatever the speed. */
  setLimits(caps: Partial<Caps>, account?: string): void;
  /** Jobs that someone else runs: they take slots. */
  setForeignJobs(count: number, account?: string): void;
  setKeys(keys: readonly KeyOption[]): void;
  /** Rotates a key as the dashboard does: the old one works 24 hours on. Returns the new key. */
  rotateKey(key: string): string;
  setDiscounts(discounts: readonly Discount[], account?: string): void;
  setRestrictedModels(models: readonly string[]): void;
  /** How late GET /v1/credits is, in service seconds. */
  setBalanceLag(serviceSeconds: number): void;
  /** Lets what faults hold back until later (late jobs, late charges) happen now. */
  hurry(): void;
}

export function createSteering(world: World): Steering {
  const { accounts, clock } = world;
  const book = (account: string, kind: 'top_up' | 'foreign_spend', amountNano: number): void => {
    accounts.get(account).balance.book({ atMs: clock.nowMs(), kind, amountNano });
  };
  return {
    setFaults: (rules) => world.faults.set(rules),
    topUp: (credits, account = 'default') => book(account, 'top_up', parseCredits(credits)),
    foreignSpend: (credits, account = 'default') => book(account, 'foreign_spend', -parseCredits(credits)),
    setPlan: (plan, account = 'default') => accounts.setPlan(account, plan),
    setLimits: (caps, account = 'default') => accounts.setCaps(account, { ...accounts.get(account).caps, ...caps }),
    setForeignJobs(count, account = 'default') {
      accounts.get(account).foreignSlots = count;
    },
    setKeys: (keys) => world.keys.set(keys),
    rotateKey: (key) => world.keys.rotate(key),
    setDiscounts: (discounts, account = 'default') => accounts.setDiscounts(account, discounts),
    setRestrictedModels(models) {
      world.restrictedModels = models;
    },
    setBalanceLag(serviceSeconds) {
      world.balanceLagSeconds = serviceSeconds;
    },
    hurry: () => hurry(world),
  };
}
