import type { RefusalNext, Verdict } from '../domain/attempt.js';
import type { ReasonCode } from '../domain/failure.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';
import type { RenderTimes } from '../domain/render-times.js';
import type { Standing } from '../domain/standing.js';
import type { AmbiguityPolicy } from './account.js';
import type { Granted } from './semaphore.js';
import type { RowRef } from './workflows.js';

/** What the activities of one attempt are asked and answer: small plain JSON, references only. */

export interface AttemptInput {
  row: RowRef;
  n: number;
}

export interface ConfirmInput extends AttemptInput {
  /** Which of the attempt's unconfirmed handles to ask after, from 0. */
  candidate: number;
}

export interface ConfirmResult {
  confirmed: boolean;
  /** There is a further candidate. */
  more: boolean;
  /** Not confirmed and not refuted: it is asked after again at the next look. */
  open?: true;
  /** The service asked not to be asked again for so long; the case goes on meanwhile. */
  waitMs?: number;
}

/** The grant by which the job holds its slot; null for a job without one. */
export interface HeldGrant {
  grant: number | null;
}

/** Set when the activity itself has given the grant back: the next job need not wait for this one's workflow. */
export interface GivenBack {
  released?: true;
}

export interface SubmitInput extends AttemptInput, HeldGrant {
  /** When the job began, epoch ms: a cancel since then holds. One before it was weighed when the row was opened. */
  sinceMs: number;
  /** A price above this is not claimed: the batch's budget has reserved no more. */
  upToNano?: CreditsNano;
  /** The job has asked for a slot and holds none yet: the submit waits for the grant, which reaches it within the worker. */
  standsBy?: StandsBy;
}

/** `apart` and `isFed` as in what the semaphore is asked. */
export interface StandsBy {
  apart?: true;
  isFed?: true;
}

export interface InputsWanted {
  row: RowRef;
  /** A slot may be asked for the row once its inputs are there: its job holds none, and gives none back. */
  maySubmit?: StandsBy;
}

/** The grant that came while the submit stood by. */
export interface GrantedMeanwhile {
  granted?: Granted;
}

/** What earlier renders that were asked for the same lead one to expect; absent where too few are known. */
export interface Expected {
  expected?: RenderTimes;
}

/** A person settled it: where it was not billed it is sent again, whatever the policy is. */
export interface ByPerson {
  byPerson?: true;
}

export type SubmitResult =
  /** `n` is the attempt that this is about: an earlier one where that one still stands in the way. */
  | ({ outcome: 'standing'; n: number; standing: Exclude<Standing, 'refused'> } & ByPerson & GivenBack & Expected)
  | {
      outcome: 'refused';
      n: number;
      next: RefusalNext;
      retryAfterMs?: number;
      needNano?: CreditsNano;
      /** Balances that are known not to suffice. */
      seenNano?: CreditsNano[];
      /** Of the key that was refused. */
      keyMark?: string;
    }
  /** Not even claimed: the model or route is closed, the batch was cancelled, or an input cannot be read. */
  | { outcome: 'not_sent'; reason: ReasonCode; text?: string }
  /** Not even claimed: the manifest was changed, and this is the row as it is now. */
  | { outcome: 'replaced'; row: RowRef }
  /** Not even claimed: a URL must be fetched first, since the endpoint takes bytes. */
  | { outcome: 'needs_inputs' }
  /** Not even claimed: the batch is paused by its user's order. */
  | { outcome: 'held' }
  /** The row has ended: its output was saved with the answer, or it had before, and nobody ordered it once more. */
  | ({ outcome: 'ended'; status: Status } & GivenBack)
  /** The claim could not be written: nothing was sent. */
  | { outcome: 'no_record' }
  /** No grant came while it stood by: its job waits for one. */
  | { outcome: 'not_granted' };

export interface PollInput extends AttemptInput, HeldGrant {
  expected: RenderTimes | null;
  timeScale: number;
}

/** `renderMs` is service time from submit to terminal; `slotUntilMs` is when an unfinished job's slot goes back. */
export type PollResult =
  /** `urlLeftMs`: service time that the output URL has left, null where a later poll gives a fresh one. */
  | ({ outcome: 'rendered'; renderMs: number; urlLeftMs: number | null } & GivenBack)
  /** Its row has ended: what was rendered is saved. */
  | ({ outcome: 'saved'; status: Status; renderMs: number } & GivenBack)
  | ({ outcome: 'ended'; reason: ReasonCode; renderMs: number } & GivenBack)
  /** `text`: what the service answered, in codes. */
  | { outcome: 'review'; reason: ReasonCode; slotUntilMs: number; text?: string };

/** `untrusted` = a verdict of the account was contradicted: `if-proved` is off until a person has looked. */
export type SettleResult =
  | ({ outcome: 'verdict'; verdict: Verdict; slotUntilMs: number; untrusted?: true } & ByPerson)
  /**
   * `hinted`: a handle without a confirmation is known, to be asked after at each look. `discountsSinceMs`: the verdict
   * waits for the discounts as they are then or later.
   */
  | { outcome: 'wait'; delayMs: number; hinted?: true; discountsSinceMs?: number }
  /** A later state was found in the ledger: it wins. `slotUntilMs` is when the slot goes back if the row ends now. */
  | { outcome: 'standing'; result: SubmitResult; slotUntilMs: number; untrusted?: true };

export interface SettleInput extends AttemptInput {
  /** The batch's policy: with `if-proved` and `always` interchangeable cases are settled by their count. */
  ambiguity?: AmbiguityPolicy;
  /** The discounts cannot be read. */
  withoutDiscounts?: true;
}

/** Paying for a row again although attempt `n` of it may have been billed: what is asked of the home. */

export interface ReserveInput extends AttemptInput {
  /** The policy `always`, or `sync.maxWaste`. */
  cause: 'always' | 'sync';
  /** The most that the batch may pay twice in all. */
  wasteMaxNano: CreditsNano;
}

export type ReserveResult =
  /** `upToNano`: the most that the payment can be; null only for a person's order, where no price is known. */
  | { outcome: 'reserved'; upToNano: CreditsNano | null }
  /** The row was paid again before, its price is unknown, above the limit, or more than what is left of it. */
  | { outcome: 'refused' }
  | { outcome: 'standing'; result: SubmitResult };

export type OverrideInput = Omit<ReserveInput, 'wasteMaxNano'>;

export type OverrideResult = { outcome: 'granted' } | { outcome: 'standing'; result: SubmitResult };

/** How a paid output is fetched, with its row and after it: small plain JSON, references only. */

export interface DownloadInput {
  row: RowRef;
  n: number;
  /** What was done before this call to get the output. */
  before?: OutputTries;
  /** The row has ended without its output: it is fetched after all. */
  isLate?: true;
}

export type DownloadResult =
  | { outcome: 'done' }
  /** The service is asked for a fresh URL before the next try. */
  | { outcome: 'ask'; tries: number; sinceMs: number }
  /** It could not be had, and the row's record says so; where it may still come, it is fetched on without the row. */
  | { outcome: 'ended'; status: Status };

/** What was done to get an output: counts and times alone, URLs and messages stay in the home. */
export interface OutputTries {
  tries: number;
  /** Since when it is tried, epoch ms. */
  sinceMs: number;
  /** How often a fresh URL was asked for, and when the last time, epoch ms. */
  asks: number;
  askedAtMs: number;
  /** The service said once what it has. */
  isAnswered?: boolean;
}

/** A row ended without its paid output, which may still come: it is fetched on without the row. */
export interface LateOutputInput {
  account: string;
  row: RowRef;
  n: number;
  timeScale: number;
  before: OutputTries;
}
