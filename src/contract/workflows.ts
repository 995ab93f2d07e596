import type { RefusalNext, Standing, Verdict } from '../domain/attempt.js';
import type { ResponseFormat } from '../domain/batch-options.js';
import type { ReasonCode } from '../domain/failure.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';
import type { AmbiguityPolicy } from './settings.js';

/** Inputs, results and references of workflows and activities: small plain JSON, never a prompt, URL or message. */

/** Where a row stands: its batch, generation, part, place in the part, and id. */
export interface RowRef {
  batch: string;
  generation: string;
  part: number;
  /** 0-based place within the part. */
  index: number;
  id: string;
  /** Position of the row's kind in KINDS. */
  kind: number;
}

/** The policy of a batch as its jobs need it. */
export interface JobPolicy {
  ambiguity: AmbiguityPolicy;
  /** New attempts for unbilled failed renders. */
  retries: number;
}

/**
 * What the ledger knows of a row when its job starts: `n`ew (or the last attempt is known unbilled), `h`andle,
 * `c`ase (claimed without an answer, or an answer lost), `r`endered (outputs known, not yet stored).
 */
export type Letter = 'n' | 'h' | 'c' | 'r';

export interface JobInput {
  account: string;
  row: RowRef;
  letter: Letter;
  /** Number of claims so far. */
  attempts: number;
  policy: JobPolicy;
  /** Divides the service-side waits of a rehearsal. */
  timeScale: number;
}

export interface JobResult {
  status: Status;
}

/** Recent render times of a kind, ms from submit to terminal. */
export interface RenderTimes {
  p5: number;
  p50: number;
  p95: number;
}

export interface BatchInput {
  account: string;
  batch: string;
  policy: JobPolicy;
  timeScale: number;
  /** Handed from run to run by continue-as-new. */
  state?: BatchState;
}

/** What a batch carries from one run to the next: references and counts only. */
export interface BatchState {
  generation: string;
  rows: number;
  cursor: { part: number; index: number } | null;
  retry: RetryOrder | null;
  open: OpenRow[];
  /** Open jobs allowed at once; pages bring the newest figure. */
  window: number;
  counts: Record<Status, number>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  paused: boolean;
  cancelling: boolean;
  events: BatchEvent[];
  nextEvent: number;
  startedAtMs: number;
}

export interface OpenRow {
  row: RowRef;
  /** The generation whose count it belongs to; an older one than the batch's is not counted. */
  countedIn: string;
  restarts: number;
  sinceMs: number;
}

/** Rows that ended before `beforeMs` with a retryable class are run again. */
export interface RetryOrder {
  beforeMs: number;
  /** Empty = every class. */
  classes: string[];
}

/** Something a watcher wants to see; kept in a short ring. */
export interface BatchEvent {
  seq: number;
  atMs: number;
  type: 'row_finished' | 'ambiguous' | 'settled' | 'paused' | 'resumed';
  id?: string;
  status?: Status;
  verdict?: Verdict;
  reason?: string;
  creditsNano?: CreditsNano;
}

export type BatchPhase = 'running' | 'paused' | 'cancelling' | 'writing results' | 'ended';

export interface BatchProgress {
  phase: BatchPhase;
  generation: string;
  rows: number;
  counts: Record<Status, number>;
  /** Started and not ended. */
  open: number;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  events: BatchEvent[];
  startedAtMs: number;
}

export interface BatchResult {
  counts: Record<Status, number>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
}

/** Names a job to the semaphore. */
export interface JobKey {
  batch: string;
  id: string;
}

export interface SemaphoreInput {
  account: string;
  timeScale: number;
  state?: SemaphoreState;
}

export interface Holder {
  job: JobKey;
  grant: number;
  kind: number;
  sinceMs: number;
  phase: 'granted' | 'submitted' | 'held';
  /** Set when the job ended without an answer: the slot goes back by itself then. */
  releaseAtMs?: number;
}

export interface Waiting {
  job: JobKey;
  kind: number;
  sinceMs: number;
}

export interface PauseReason {
  /** `key` = the key is refused, `credits` = the balance is too low, `user` = the batch's own pause. */
  reason: 'key' | 'credits' | 'user' | 'records';
  batch?: string;
  sinceMs: number;
  /** For `credits`: what the service said is needed, when it did. */
  needNano?: CreditsNano;
  /** For `credits`: the balance at the time, when known. */
  balanceNano?: CreditsNano;
}

/** What the semaphore carries from one run to the next. */
export interface SemaphoreState {
  /** After a foreign refusal the cap climbs back by one per this time. */
  climbMs: number;
  planCap: number;
  /** Lowered after the service refused a job although slots were free by our count. */
  foreign: { cap: number; sinceMs: number } | null;
  nextGrant: number;
  holders: Holder[];
  waiting: Waiting[];
  lastBatch: string;
  lastReleaseMs: number;
  pauses: PauseReason[];
  renderTimesMs: Record<string, number[]>;
}

export interface SemaphoreView {
  planCap: number;
  effectiveCap: number;
  holders: Holder[];
  waiting: number;
  pauses: PauseReason[];
  ready: boolean;
}

// ---- activities ----

export interface AttemptInput {
  row: RowRef;
  n: number;
}

export interface SubmitInput extends AttemptInput {
  /** Overrides the batch's response format after `output_too_large`. */
  responseFormat?: ResponseFormat;
}

export type SubmitResult =
  /** `n` is the attempt that this is about: an earlier one where that one still stands in the way. */
  | { outcome: 'standing'; n: number; standing: Exclude<Standing, 'refused'> }
  | {
      outcome: 'refused';
      n: number;
      next: RefusalNext;
      retryAfterMs?: number;
      needNano?: CreditsNano;
      balanceNano?: CreditsNano;
    }
  /** Not even claimed: the model or route is closed, or an input cannot be read. */
  | { outcome: 'not_sent'; reason: ReasonCode }
  /** The claim could not be written: nothing was sent. */
  | { outcome: 'no_record' };

export interface PollInput extends AttemptInput {
  /** Ask again although the job is known to have ended: its output URL no longer works. */
  fresh: boolean;
  expected: RenderTimes | null;
  timeScale: number;
}

/** `renderMs` is service time from submit to terminal; `slotUntilMs` is when an unfinished job's slot goes back. */
export type PollResult =
  | { outcome: 'rendered'; renderMs: number }
  | { outcome: 'ended'; reason: ReasonCode; renderMs: number }
  | { outcome: 'review'; reason: ReasonCode; slotUntilMs: number };

export type DownloadResult =
  | { outcome: 'done' }
  | { outcome: 'expired'; canRefresh: boolean }
  | { outcome: 'rejected'; reason: ReasonCode };

export type SettleResult =
  | { outcome: 'verdict'; verdict: Verdict; slotUntilMs: number }
  | { outcome: 'wait'; delayMs: number }
  /** A later state was found in the ledger: it wins. */
  | { outcome: 'standing'; result: SubmitResult };

export interface FinishInput {
  row: RowRef;
  status: Status;
  reason?: ReasonCode;
}

/** `[index, letter, attempts, kind, id]`: small, since a page must stay below 4 KB. */
export type PageEntry = [number, Letter, number, number, string];

export interface PageInput {
  batch: string;
  generation: string;
  cursor: { part: number; index: number };
  /** At most this many unfinished rows. */
  limit: number;
  retry: RetryOrder | null;
}

export interface PageResult {
  batch: string;
  part: number;
  entries: PageEntry[];
  next: { part: number; index: number } | null;
  /** Rows passed over because they are finished. */
  finished: Partial<Record<Status, number>>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  /** The account's cap on simultaneous jobs as last read. */
  cap: number;
}

/** What became of rows that did not report: ended with a record, still open, or to be started again. */
export type OpenRowState =
  | { id: string; state: 'open' }
  | { id: string; state: 'finished'; status: Status; creditsNano: CreditsNano | null }
  | { id: string; state: 'restart'; letter: Letter; attempts: number };

export interface AccountReading {
  /** min(plan, user's limit). */
  concurrent: number;
  rpm: number;
  balanceNano: CreditsNano | null;
}

export interface RecoverResult {
  holders: RecoveredHolder[];
  /** Where to go on, or null at the end. */
  next: number | null;
}

/** What to do with a holder that was asked after: leave it, free its slot, or hold it until a time. */
export type SweepAction = { job: JobKey; action: 'keep' } | { job: JobKey; action: 'free' };

export interface RecoveredHolder {
  job: JobKey;
  kind: number;
  sinceMs: number;
  n: number;
  /** For a row that ended without an answer: its slot goes back by itself then. */
  releaseAtMs?: number;
}

/** What the command line may read of the account while an engine runs. */
export type AccountReadWhat = 'credits' | 'discounts' | 'voices';

export interface AccountReadInput {
  account: string;
  what: AccountReadWhat;
}

/** The answer's JSON stands in the home under this key: it may be large and is nobody's history. */
export interface AccountReadResult {
  key: string;
}
