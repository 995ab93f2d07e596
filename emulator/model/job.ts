/** One asynchronous job: what its family decided about it, and its course from creation to its end. */
import type { AppliedFaults } from '../faults/fault-engine.js';
import { type Output, type OutputSpec, openOutput } from '../media/outputs.js';
import type { Account } from './accounts.js';
import type { Family } from './assumptions.js';
import { charge, costNano } from './billing.js';
import { parseCredits } from './money.js';
import type { PriceFacts, Quantities } from './prices.js';
import { createRandom, type Random } from './random.js';
import type { JobRecord, JobState, RequestRecord } from './truth.js';
import type { World } from './world.js';

/** Why a job fails; the code is for families that show one. */
export interface JobFailure {
  message: string;
  code?: string;
}

/** What a family decided about a submit that passed its checks. */
export interface JobPlan {
  family: Family;
  facts: PriceFacts;
  /** What is billed when the job succeeds. */
  quantities: Quantities;
  /** Service seconds, from and to. */
  renderSeconds: readonly [number, number];
  /** The clip, once its tag is known. */
  spec: (tag: string) => OutputSpec;
  /** Service seconds after completion at which the output URL expires. */
  outputLifeSeconds: number;
  makeHandle: (random: Random) => string;
  /** Looks at media by URL while the job runs; returns why the job fails, or nothing. */
  inspect?: () => Promise<JobFailure | undefined>;
  /** What is still owed after completion, known once `inspect` has looked. */
  owedLater?: () => Quantities | undefined;
  callbackUrl?: string;
  /** Called at each change of state, the first one included. */
  onState?: (job: Job) => void;
  /** Earliest first poll, in service seconds: 5, avatar 10 (service document 2, "What the service does"). */
  firstPollSeconds?: number;
}

/** The bill of one job or synchronous call. */
export interface Bill {
  /** Schedules the charge that comes between submit and completion: by the family, or of a call that is to fail. */
  duringRender(startMs: number, renderMs: number, isFailingCall?: boolean): void;
  /** Charges what is not charged yet; returns the instant of the charge, which a fault may make late. */
  succeed(atMs: number): number;
  /** Charges nothing more, and gives back what was charged. */
  fail(atMs: number): void;
}

/** One job and what belongs to it while it lives. */
export interface Job {
  record: JobRecord;
  plan: JobPlan;
  account: Account;
  handle: string;
  faults: AppliedFaults;
  bill: Bill;
  /** Settled when the output is made and the media were looked at. */
  ready: Promise<void>;
  output?: Output;
  /** Why it will fail. */
  failure?: JobFailure;
  endAs: JobState;
  /** The first status update, for a fault that repeats it. */
  firstUpdate?: string;
  /** When the last status update was posted. */
  updatedMs?: number;
  /** The poll before. */
  lastPoll?: RequestRecord;
  /** A poll has been answered since the job ended. */
  seenTerminal?: boolean;
}

/** Schedules when a job begins to run and when it ends. */
export function scheduleRender(world: World, job: Job, random: Random, atMs: number): void {
  const { clock, scheduler } = world;
  const fixed = job.faults.get('render-seconds');
  const [min, max] = job.plan.renderSeconds;
  const fullSeconds = random.between(min, max);
  const seconds =
    fixed?.serviceSeconds ?? (job.failure === undefined ? fullSeconds : fullSeconds * random.between(0.3, 1));
  const queueSeconds = Math.min(seconds * random.between(0.05, 0.2), 10);
  job.bill.duringRender(atMs, clock.serviceMs(seconds));
  scheduler.at(atMs + clock.serviceMs(queueSeconds), () => changeState(job, 'running'));
  scheduler.at(atMs + clock.serviceMs(seconds), (dueMs) => {
    // Media and checks are nearly always done by now; where they are not, the job ends a little later.
    if (job.output !== undefined || job.failure !== undefined) finish(world, job, dueMs);
    else void job.ready.then(() => finish(world, job, clock.nowMs()));
  });
}

/** Moves a job on, unless it has ended. */
export function changeState(job: Job, state: JobState): void {
  if (job.record.terminalMs !== undefined) return;
  job.record.state = state;
  job.plan.onState?.(job);
}

function finish(world: World, job: Job, atMs: number): void {
  const { account, plan, record } = job;
  record.terminalMs = atMs;
  record.state = job.endAs;
  if (job.failure !== undefined) record.message = job.failure.message;
  account.slots.free();
  if (job.output !== undefined) openOutput(world.clock, job.output, atMs, plan.outputLifeSeconds, job.faults);
  settle(world, job, atMs);
  plan.onState?.(job);
}

/** Books what the end of a job costs: the charge, or what comes back; and what is owed afterwards. */
function settle(world: World, job: Job, atMs: number): void {
  const { account, plan, record, faults, bill } = job;
  if (record.state !== 'succeeded') {
    bill.fail(atMs);
    return;
  }
  const chargeMs = bill.succeed(atMs);
  const owed = plan.owedLater?.();
  const extra = faults.get('follow-up-charge');
  if (owed === undefined && extra === undefined) return;
  const { options, clock, scheduler } = world;
  const drawnSeconds = createRandom(options.seed, `follow-up ${record.id}`).within(options.assumptions.followUpSeconds);
  scheduler.at(chargeMs + clock.serviceMs(extra?.serviceSeconds ?? drawnSeconds), (dueMs) => {
    const nano = extra === undefined ? 0 : parseCredits(extra.credits);
    const owedNano = owed === undefined ? 0 : costNano(world, account, plan.facts, owed, dueMs);
    charge(account, record, 'follow_up', nano + owedNano, dueMs);
  });
}
