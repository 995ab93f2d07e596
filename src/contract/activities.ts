import type { RefusalNext, Verdict } from '../domain/attempt.js';
import type { BatchLimits } from '../domain/batch.js';
import type { ReasonCode } from '../domain/failure.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';
import type { Standing } from '../domain/standing.js';
import type { AmbiguityPolicy } from './settings.js';
import type { Letter, RenderTimes, RetryOrder, RowRef } from './workflows.js';

/** Inputs and results of activities: small plain JSON, references only. */

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
}

export type SubmitResult =
  /** `n` is the attempt that this is about: an earlier one where that one still stands in the way. */
  | ({ outcome: 'standing'; n: number; standing: Exclude<Standing, 'refused'> } & GivenBack)
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
  | { outcome: 'not_sent'; reason: ReasonCode }
  /** Not even claimed: the manifest was changed, and this is the row as it is now. */
  | { outcome: 'replaced'; row: RowRef }
  /** Not even claimed: a URL must be fetched first, since the endpoint takes bytes. */
  | { outcome: 'needs_inputs' }
  /** Not even claimed: the batch is paused by its user's order. */
  | { outcome: 'held' }
  /** The row has ended: its output was saved with the answer, or it had before, and nobody ordered it once more. */
  | ({ outcome: 'ended'; status: Status } & GivenBack)
  /** The claim could not be written: nothing was sent. */
  | { outcome: 'no_record' };

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
  | { outcome: 'verdict'; verdict: Verdict; slotUntilMs: number; untrusted?: true }
  /** `hinted`: a handle without a confirmation is known, to be asked after at each look. */
  | { outcome: 'wait'; delayMs: number; hinted?: true }
  /** A later state was found in the ledger: it wins. `slotUntilMs` is when the slot goes back if the row ends now. */
  | { outcome: 'standing'; result: SubmitResult; slotUntilMs: number; untrusted?: true };

export interface SettleInput extends AttemptInput {
  /** The batch's policy: with `if-proved` and `always` interchangeable cases are settled by their count. */
  ambiguity?: AmbiguityPolicy;
}

export interface ReopenInput {
  row: RowRef;
  /** Where the batch's pages stand; null when all rows were paged. */
  cursor: { part: number; index: number } | null;
}

/** `was` is what the batch counted the row as; absent when it was not counted yet. */
export type ReopenResult =
  /** `isHeld`: a row that feeds it is not done. */
  | { outcome: 'nothing'; isHeld?: true }
  | {
      outcome: 'restart';
      letter: Letter;
      attempts: number;
      was?: { status: Status; creditsNano: CreditsNano | null };
      /** It feeds other rows. */
      feeds?: true;
      /** The most that a new attempt can cost; absent where none follows, or no price is known. */
      upToNano?: CreditsNano;
    };

export interface FinishInput {
  row: RowRef;
  status: Status;
  reason?: ReasonCode;
  /** What the service answered, in codes. */
  text?: string;
}

/**
 * `[index, letter, attempts, kind, id, the most that its attempt can cost]`: small, since a page must stay below 4 KB.
 */
export type PageEntry = [number, Letter, number, number, string, CreditsNano | null];

export interface PageInput {
  batch: string;
  generation: string;
  cursor: { part: number; index: number };
  /** At most this many unfinished rows. */
  limit: number;
  retry: RetryOrder | null;
  /** Only rows that share the render of another; they are left out of the first way through the rows. */
  isSharing?: boolean;
  /** Only rows that others feed and that are still held; the others were gone through. */
  isHeldOnly?: boolean;
  holdsFed?: true; // no row that others feed is begun
  /** What the budget leaves for new rows; null = no budget. The page ends before the first row that does not fit. */
  roomNano: CreditsNano | null;
  /** The limits that the room was reckoned by. */
  limits?: BatchLimits;
}

export interface PageResult {
  batch: string;
  part: number;
  entries: PageEntry[];
  next: { part: number; index: number } | null;
  /** Rows passed over because they share the render of another row. */
  deferred?: number;
  /** Rows passed over because a row that feeds them is not done. */
  held?: number;
  feeding?: number[]; // the indexes of those entries that feed other rows
  /** Rows passed over because they are finished. */
  finished: Partial<Record<Status, number>>;
  /** The next row does not fit into the budget's room. */
  isShort: boolean;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  /** The account's cap on simultaneous jobs as last read. */
  cap: number;
  /** The limits that were ordered, where they are others than those of the question: the page is then empty. */
  limits?: BatchLimits;
  /** The batch is paused by its user's order: the page is then empty. */
  isPaused?: true;
}

/** What the ledger says a batch can have cost at most; `openNano` is the part of attempts that have not ended. */
export interface SpentResult {
  endedNano: CreditsNano;
  openNano: CreditsNano;
  /** Attempts whose cost has no bound. */
  unbounded: number;
}

/** What became of rows that did not report: ended with a record, still open, or to be started again. */
export type OpenRowState =
  | { id: string; state: 'open' }
  | { id: string; state: 'finished'; status: Status; creditsNano: CreditsNano | null }
  | { id: string; state: 'restart'; letter: Letter; attempts: number };
