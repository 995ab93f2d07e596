/** The two caps of a plan: requests in any 60 seconds, and simultaneous jobs (service document 1, Limits). */

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
export interface Slots {
  readonly used: number;
  /** The most slots ever used at once. */
  readonly max: number;
  take(): void;
  free(): void;
}

export function createSlots(): Slots {
  let used = 0;
  let max = 0;
  return {
    get used() {
      return used;
    },
    get max() {
      return max;
    },
    take() {
      used += 1;
      max = Math.max(max, used);
    },
    free() {
      used -= 1;
    },
  };
}
