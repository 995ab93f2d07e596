/** The ground truth as one JSON value, whole or in sections. */

import type { Account, Caps } from '../model/accounts.js';
import type { Assumptions } from '../model/assumptions.js';
import { formatCredits, type MoneyEvent } from '../model/money.js';
import type { JobRecord, RequestRecord, Violation } from '../model/truth.js';
import type { World } from '../model/world.js';

/** The truth about one account. */
export interface AccountTruth {
  plan: string;
  caps: Caps;
  capChanges: readonly (Caps & { atMs: number })[];
  balance: { start: string; now: string; startNano: number; nowNano: number };
  /** Sums in 1e-9 credits; spending is positive. */
  sums: { chargedNano: number; refundedNano: number; topUpNano: number; foreignSpendNano: number };
  /** Jobs and open synchronous calls that run now. */
  running: number;
  maxima: {
    /** The most jobs and open synchronous calls at once. */
    jobsAtOnce: number;
    /** The most requests that arrived with a key in any 60 seconds, 429 answers included. */
    requestsIn60s: number;
    /** The most requests that were let in, in any 60 seconds. */
    acceptedIn60s: number;
  };
  money: readonly MoneyEvent[];
}

/** What really happened. The arrays are the emulator's own records: read them, do not change them. */
export interface Truth {
  nowMs: number;
  speed: number;
  seed: number;
  /** What holds here of all that the documents do not show. */
  assumptions: Assumptions;
  accounts: Record<string, AccountTruth>;
  /** The account `default`, which is the only one unless keys name others. */
  account: AccountTruth;
  connections: number;
  requests: readonly RequestRecord[];
  jobs: readonly JobRecord[];
  violations: readonly Violation[];
  violationCounts: Readonly<Partial<Record<Violation['kind'], number>>>;
  faults: { name: string; seen: number; applied: number }[];
}

export function truthOf(world: World): Truth {
  world.scheduler.runDue();
  const { recorder } = world;
  const account = accountTruth(world.accounts.get('default'));
  return {
    nowMs: world.clock.nowMs(),
    speed: world.options.speed,
    seed: world.options.seed,
    assumptions: world.options.assumptions,
    accounts: Object.fromEntries(world.accounts.all().map((one) => [one.name, accountTruth(one)])),
    account,
    connections: recorder.connections,
    requests: recorder.requests,
    jobs: recorder.jobs,
    violations: recorder.violations,
    violationCounts: recorder.violationCounts,
    faults: world.faults.counts(),
  };
}

function accountTruth(account: Account): AccountTruth {
  const { events } = account.balance;
  const startNano = events[0]?.amountNano ?? 0;
  const nowNano = account.balance.nowNano();
  const sum = (...kinds: MoneyEvent['kind'][]): number =>
    events.reduce((total, event) => (kinds.includes(event.kind) ? total + event.amountNano : total), 0);
  return {
    plan: account.plan,
    caps: account.caps,
    capChanges: account.capChanges,
    balance: { start: formatCredits(startNano), now: formatCredits(nowNano), startNano, nowNano },
    sums: {
      chargedNano: -sum('charge', 'reserve', 'follow_up'),
      refundedNano: sum('refund'),
      topUpNano: sum('top_up'),
      foreignSpendNano: -sum('foreign_spend'),
    },
    running: account.slots.used,
    maxima: {
      jobsAtOnce: account.slots.max,
      requestsIn60s: account.arrivals.max,
      acceptedIn60s: account.accepted.max,
    },
    money: events,
  };
}

const SECTIONS = ['summary', 'requests', 'jobs', 'money', 'violations'] as const;

/**
 * The truth for `GET /_truth`: `section` picks one part, `since` (Unix milliseconds) leaves out what is older, `limit`
 * and `offset` page through a part. Without a section everything is given.
 */
export function truthPage(world: World, parameters: URLSearchParams): unknown {
  const section = parameters.get('section');
  if (section !== null && !SECTIONS.some((known) => known === section)) {
    throw new Error(`unknown section '${section}'; known: ${SECTIONS.join(', ')}`);
  }
  const since = Number(parameters.get('since') ?? 0);
  const offset = Number(parameters.get('offset') ?? 0);
  const limit = Number(parameters.get('limit') ?? Number.MAX_SAFE_INTEGER);
  const page = <Item>(items: readonly Item[], atMs: (item: Item) => number): { total: number; items: Item[] } => {
    const recent = since > 0 ? items.filter((item) => atMs(item) >= since) : items;
    return { total: recent.length, items: recent.slice(offset, offset + limit) };
  };
  const jobsOf = (jobs: readonly JobRecord[]) =>
    // A job counts as recent as long as anything about it changed since then.
    page(jobs, (one) => Math.max(one.createdMs, one.terminalMs ?? 0, one.lastPollMs ?? 0));
  if (section === 'jobs') {
    // Asked again and again while a large batch runs: the rest of the truth is sums over all that was paid.
    world.scheduler.runDue();
    return jobsOf(world.recorder.jobs);
  }
  const truth = truthOf(world);
  const requests = page(truth.requests, (one) => one.arrivedMs);
  const violations = page(truth.violations, (one) => one.atMs);
  if (section === 'requests') return requests;
  if (section === 'violations') return violations;
  if (section === 'money') return page(truth.account.money, (one) => one.atMs);
  if (section === 'summary') return summary(truth);
  return { ...truth, requests: requests.items, jobs: jobsOf(truth.jobs).items, violations: violations.items };
}

function summary(truth: Truth): unknown {
  const strip = ({ money, ...rest }: AccountTruth): unknown => ({ ...rest, moneyEvents: money.length });
  const states: Record<string, number> = {};
  for (const job of truth.jobs) states[job.state] = (states[job.state] ?? 0) + 1;
  const { violations: _told, ...rest } = truth;
  return {
    ...rest,
    account: strip(truth.account),
    accounts: Object.fromEntries(Object.entries(truth.accounts).map(([name, one]) => [name, strip(one)])),
    requests: truth.requests.length,
    jobs: truth.jobs.length,
    states,
  };
}
