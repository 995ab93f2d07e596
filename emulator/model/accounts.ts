/** The state of one account: plan and its two caps (service document 1, Limits), balance, slots, request window, discounts. */
import type { Clock } from './clock.js';
import { type Balance, createBalance } from './money.js';
import { checkDiscounts, type Discount } from './prices.js';
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

export const PLANS = ['free', 'pro', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** The documented caps of each plan. */
const PLAN_CAPS: Readonly<Record<Plan, Caps>> = {
  free: { rpm: 60, concurrent: 5 },
  pro: { rpm: 200, concurrent: 10 },
  enterprise: { rpm: 600, concurrent: 20 },
};

export interface Caps {
  /** Requests in any 60 seconds. */
  rpm: number;
  /** Simultaneous jobs, synchronous generations included. */
  concurrent: number;
}

/** The caps in force: the plan's, with the requests per minute raised by the emulator's speed and never the jobs. */
export function capsOf(plan: Plan, speed: number): Caps {
  const caps = PLAN_CAPS[plan];
  return { rpm: Math.max(1, Math.round(caps.rpm * speed)), concurrent: caps.concurrent };
}

const WINDOW_MS = 60_000;

/** Counts instants in a sliding window of exactly 60 seconds. */
export interface SlidingWindow {
  /** How many instants lie in the 60 seconds that end at `nowMs`. */
  count(nowMs: number): number;
  add(nowMs: number): void;
  /** Milliseconds until the oldest instant leaves the window. */
  untilFreeMs(nowMs: number): number;
  /** The most instants that any 60 seconds held. */
  readonly max: number;
}

export function createSlidingWindow(): SlidingWindow {
  let instants: number[] = [];
  let head = 0;
  let max = 0;
  const count = (nowMs: number): number => {
    while (head < instants.length && (instants[head] ?? 0) <= nowMs - WINDOW_MS) head += 1;
    if (head > 4096) {
      instants = instants.slice(head);
      head = 0;
    }
    return instants.length - head;
  };
  return {
    count,
    add(nowMs) {
      instants.push(nowMs);
      max = Math.max(max, count(nowMs));
    },
    untilFreeMs: (nowMs) => (count(nowMs) === 0 ? 0 : (instants[head] ?? nowMs) + WINDOW_MS - nowMs),
    get max() {
      return max;
    },
  };
}

/** The job slots of one account. */
interface Slots {
  readonly used: number;
  /** The most slots ever used at once. */
  readonly max: number;
  take(): void;
  free(): void;
}

function createSlots(): Slots {
  const slots = {
    used: 0,
    max: 0,
    take() {
      slots.used += 1;
      slots.max = Math.max(slots.max, slots.used);
    },
    free() {
      slots.used -= 1;
    },
  };
  return slots;
}
