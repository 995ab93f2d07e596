/** One asynchronous job as the service knows it, and what its family decided about it. */
import type { AppliedFaults } from '../faults/fault-engine.js';
import type { Output, OutputSpec } from '../media/outputs.js';
import type { Account } from './accounts.js';
import type { Family } from './assumptions.js';
import type { PriceFacts, Quantities } from './prices.js';
import type { Random } from './random.js';
import type { JobRecord, JobState, RequestRecord } from './truth.js';

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
