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

export interface Account {
  readonly name: string;
  plan: Plan;
  caps: Caps;
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

export interface AccountDefaults {
  plan: Plan;
  balanceNano: number;
  discounts: readonly Discount[];
}

/** The accounts by name, made when first named. */
export interface Accounts {
  get(name: string): Account;
  all(): Account[];
  setPlan(name: string, plan: Plan): void;
  setDiscounts(name: string, discounts: readonly Discount[]): void;
}

export function createAccounts(clock: Clock, defaults: AccountDefaults): Accounts {
  checkDiscounts(defaults.discounts);
  const accounts = new Map<string, Account>();
  const get = (name: string): Account => {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const account: Account = {
      name,
      plan: defaults.plan,
      caps: capsOf(defaults.plan, clock.speed),
      balance: createBalance(defaults.balanceNano, clock.nowMs()),
      slots: createSlots(),
      foreignSlots: 0,
      accepted: createSlidingWindow(),
      arrivals: createSlidingWindow(),
      discounts: [...defaults.discounts],
    };
    accounts.set(name, account);
    return account;
  };
  return {
    get,
    all: () => [...accounts.values()],
    setPlan(name, plan) {
      const account = get(name);
      account.plan = plan;
      account.caps = capsOf(plan, clock.speed);
    },
    setDiscounts(name, discounts) {
      checkDiscounts(discounts);
      get(name).discounts = [...discounts];
    },
  };
}
