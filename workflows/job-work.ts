import type { SubmitResult } from '../src/contract/activities.js';
import type { PaymentAnswered } from '../src/contract/messages.js';
import type { JobInput } from '../src/contract/workflows.js';
import type { ReasonCode } from '../src/domain/failure.js';
import type { CreditsNano } from '../src/domain/money.js';
import type { Status } from '../src/domain/outcome.js';
import type { News } from './news.js';
import type { Slot } from './slot.js';

/** Where the row stands and so what comes next; `finish` ends the job. */
export type Step =
  /** The inputs are made ready; the job has no slot. */
  | { step: 'prepare' }
  | { step: 'submit' }
  | { step: 'case' }
  | { step: 'poll' }
  | { step: 'download' }
  | { step: 'share' }
  /** The policy, or a person, lets the row be paid again as far as waste limit and budget go; else it ends. */
  | { step: 'override'; otherwise: Finish }
  | Finish;

export interface Finish {
  step: 'finish';
  status: Status;
  reason?: ReasonCode;
  /** What the service answered, in codes. */
  text?: string;
  recorded?: boolean;
}

/** What the steps of one job share. `n` is the attempt at hand. */
export interface Job {
  input: JobInput;
  slot: Slot;
  submits: Submits;
  news: News;
  n: number;
  /** False once the account's verdicts are not trusted: what is not billed is then held for a person. */
  mayResend: boolean;
  /** What the batch's budget said last of paying the row again. */
  payment?: PaymentAnswered;
  /** The row is being paid again, within this price; `otherwise` is how it ends where that is not sent. */
  again?: { upToNano: CreditsNano | null; otherwise: Finish };
  /** Attempts that ended unbilled at the service and were tried again by policy. */
  retried: number;
  /** Service time that the output URL has left, null where a fresh one can be asked for. */
  urlLeftMs?: number | null;
  /** Counts what the job was told of the ledger. */
  looks: number;
}

/** The submits of one job: each is a new attempt with a claim of its own. */
export interface Submits {
  /** Makes the inputs ready that must be at hand. */
  prepare(work: Job): Promise<Step>;
  /** Sends the next attempt; the job holds a slot. Can be cancelled before the send and while it backs off. */
  next(work: Job): Promise<Step>;
  /** Says what a submit's result means for the job, and waits where it must be tried again. */
  read(work: Job, result: SubmitResult): Promise<Step>;
}
