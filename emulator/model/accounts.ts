/** The state of one account: plan and caps, balance, slots, request window, discounts. */
import type { Clock } from './clock.js';
import { checkDiscounts, type Discount } from './discounts.js';
import {
  type Caps,
  capsOf,
  createSlidingWindow,
  createSlots,
  type Plan,
  type SlidingWindow,
  type Slots,
} from './limits.js';
import { type Balance, createBalance } from './money.js';
import { createRandom } from './random.js';

export interface Account {
  readonly name: string;
  plan: Plan;
  caps: Caps;
  /** Every change of the caps, the first ones included, so that a cap can be judged at each instant. */
  readonly capChanges: (Caps & { atMs: number })[];
  readonly balance: Balance;
  readonly slots: Slots;
  /** Slots taken by jobs that someone else runs on this account (control). */
  foreignSlots: number;
  /** Requests that were let in: the ones the cap counts. */
  readonly accepted: SlidingWindow;
  /** Every authenticated request, those answered 429 included. */
  readonly arrivals: SlidingWindow;
  discounts: Discount[];
}

interface AccountDefaults {
  plan: Plan;
  balanceNano: number;
  seed: number;
  discounts: readonly Discount[];
}

/** The accounts by name, made when first named. */
export interface Accounts {
  get(name: string): Account;
  all(): Account[];
  setPlan(name: string, plan: Plan): void;
  setCaps(name: string, caps: Caps): void;
  setDiscounts(name: string, discounts: readonly Discount[]): void;
}

export function createAccounts(clock: Clock, defaults: AccountDefaults): Accounts {
  checkDiscounts(defaults.discounts);
  const accounts = new Map<string, Account>();
  const get = (name: string): Account => {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const caps = capsOf(defaults.plan, clock.speed);
    const account: Account = {
      name,
      plan: defaults.plan,
      caps,
      capChanges: [{ ...caps, atMs: clock.nowMs() }],
      balance: createBalance(defaults.balanceNano, clock.nowMs(), createRandom(defaults.seed, `balance ${name}`)),
      slots: createSlots(),
      foreignSlots: 0,
      accepted: createSlidingWindow(),
      arrivals: createSlidingWindow(),
      discounts: [...defaults.discounts],
    };
    accounts.set(name, account);
    return account;
  };
  const setCaps = (name: string, caps: Caps): void => {
    const account = get(name);
    account.caps = caps;
    account.capChanges.push({ ...caps, atMs: clock.nowMs() });
  };
  return {
    get,
    all: () => [...accounts.values()],
    setCaps,
    setPlan(name, plan) {
      get(name).plan = plan;
      setCaps(name, capsOf(plan, clock.speed));
    },
    setDiscounts(name, discounts) {
      checkDiscounts(discounts);
      get(name).discounts = [...discounts];
    },
  };
}
