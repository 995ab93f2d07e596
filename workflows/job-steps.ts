import type { PollResult, SettleResult, SubmitResult } from '../src/contract/attempts.js';
import type { CaseNoted } from '../src/contract/messages.js';
import type { PauseReason, Release } from '../src/contract/semaphore.js';
import type { JobPolicy, RowRef } from '../src/contract/workflows.js';
import type { ReasonCode } from '../src/domain/failure.js';
import type { CreditsNano } from '../src/domain/money.js';
import type { Status } from '../src/domain/outcome.js';
import type { RenderTimes } from '../src/domain/render-times.js';
import type { News } from './news.js';
import type { Slot } from './slot.js';

/** The steps of a job, what may come of each, and what is done between them. Pure. */

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
  | { step: 'pay again'; otherwise: Finish }
  | Finish;

export interface Finish {
  step: 'finish';
  status: Status;
  reason?: ReasonCode;
  /** What the service answered, in codes. */
  text?: string;
  recorded?: boolean;
}

/** What is done on the way to the next step, in this order. */
export type Effect =
  /** The slot goes back. */
  | { do: 'release'; how?: Omit<Release, 'grant'> }
  /** An activity has given it back. */
  | { do: 'note released' }
  | { do: 'leave the queue' }
  /** The account submits nothing until this has passed. */
  | { do: 'pause'; pause: Omit<PauseReason, 'sinceMs'> }
  /** Service time. */
  | { do: 'wait'; ms: number }
  /** The batch hears what became of the case. */
  | { do: 'note case'; end: Omit<CaseNoted, 'id'> };

/** What came of a step. */
export type Happened =
  | { what: 'prepared'; taken: boolean | { reason: ReasonCode; text: string; mayBeAsked?: true } }
  | { what: 'submitted'; result: SubmitResult }
  | { what: 'polled'; result: PollResult }
  /** What a lost answer named was found after all. */
  | { what: 'recovered'; found: 'job' | 'output' }
  | { what: 'settled'; result: Exclude<SettleResult, { outcome: 'wait' }> }
  | { what: 'fetched'; status: Status }
  | { what: 'shared'; status: Status | null }
  | { what: 'paid again'; upToNano: CreditsNano | null; otherwise: Finish }
  | { what: 'not paid again'; otherwise: Finish }
  /** By the batch, before anything of it was sent. */
  | { what: 'cancelled' };

/** What a job remembers between its steps. */
export interface JobState {
  row: RowRef;
  policy: JobPolicy;
  /** The attempt at hand. */
  n: number;
  /** False once the account's verdicts are not trusted: what is not billed is then held for a person. */
  mayResend: boolean;
  /** The row is being paid again for attempt `n`, within this price; `otherwise` is how it ends where that is not sent. */
  again?: { n: number; upToNano: CreditsNano | null; otherwise: Finish };
  /** Attempts that ended unbilled at the service and were tried again by policy. */
  retried: number;
  /** Synchronous calls that the service refunded, in a row. */
  refunded: number;
  /** Service time that the output URL has left, null where a fresh one can be asked for. */
  urlLeftMs?: number | null;
  /** Of the render at hand. */
  expected?: RenderTimes | undefined;
}

/** What the steps of one job share. */
export interface JobParts {
  account: string;
  timeScale: number;
  slot: Slot;
  news: News;
  /** Counts what the job was told of the ledger. */
  looks(): number;
}

export interface Next {
  state: JobState;
  do: Effect[];
  next: Step;
}

/** A job that ended unbilled at the service is tried again as often as the batch says. */
export function retryOr(state: JobState, failed: Finish): Next {
  if (state.retried >= state.policy.retries) return to(state, failed);
  return to({ ...state, retried: state.retried + 1 }, { step: 'submit' });
}

export const RELEASE: Effect = { do: 'release' };
export const ANSWERED: Effect = { do: 'release', how: { answered: true } };

export function givenBack({ released }: { released?: true }): Effect[] {
  return released ? [{ do: 'note released' }] : [];
}

export function finish(status: Status, reason: ReasonCode): Finish {
  return { step: 'finish', status, reason };
}

export function to(state: JobState, next: Step, ...effects: Effect[]): Next {
  return { state, do: effects, next };
}

export function withEffects(effects: Effect[], next: Next): Next {
  return { ...next, do: [...effects, ...next.do] };
}
