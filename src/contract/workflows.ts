import type { Verdict } from '../domain/attempt.js';
import type { BatchLimits, StopReason } from '../domain/batch.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';
import type { AmbiguityPolicy } from './account.js';
import type { ChainState, OpenRow, RowRef } from './rows.js';

/** Inputs, results and references of workflows and activities: small plain JSON, never a prompt, URL or message. */

export type { RowRef } from './rows.js';

/** The policy of a batch as its jobs need it. */
export interface JobPolicy {
  ambiguity: AmbiguityPolicy;
  /** New attempts for unbilled failed renders. */
  retries: number;
  /** How much of the batch's money may be paid twice; 0 when not given. */
  wasteMaxNano?: CreditsNano;
}

/**
 * Where the job of a row begins, by what the home knows of the row: `submit` a new attempt (or the last one is known
 * unbilled), `prepare` what other rows made for it before that, `poll` a handle, settle a `case` (claimed without an answer,
 * or an answer lost), `download` outputs that are known, `share` the render of another row, which has ended.
 */
export type Begins = 'submit' | 'prepare' | 'poll' | 'case' | 'download' | 'share';

export interface JobInput {
  account: string;
  row: RowRef;
  begins: Begins;
  /** Number of claims so far. */
  attempts: number;
  policy: JobPolicy;
  /** Divides the service-side waits of a rehearsal. */
  timeScale: number;
  /** What the batch's budget has reserved for one attempt: a dearer one is not sent. */
  upToNano?: CreditsNano;
  syncMaxMs?: number; // the setting's default when not given
  /** Its batch has asked the semaphore for its first slot. */
  isAsked?: true;
  /** Its first submit waits for that slot within the worker. */
  standsBy?: true;
  /** Other rows feed it, and its batch carries chains through: it goes before the batch's others. */
  isFed?: true;
}

/** Where a row's job begins; `upToNano` is what its batch's budget has reserved for it. */
export type BeginningJob = Pick<JobInput, 'row' | 'begins' | 'attempts' | 'upToNano'>;

/** Jobs of one generation of a batch that are to be started, and what they have in common. */
export interface BeginningJobs extends Pick<RowRef, 'batch' | 'generation'> {
  settings: Pick<JobInput, 'account' | 'policy' | 'timeScale' | 'syncMaxMs'>;
  begin: (Omit<BeginningJob, 'row'> & Omit<RowRef, 'batch' | 'generation'>)[];
  isBreadthFirst?: true;
}

/** A row's record was corrected after its batch had ended. */
export type LateResultsInput = { account: string; batch: string };

/** A handle, or the answer itself, came after the row's job had ended. */
export interface LateHandleInput {
  account: string;
  row: RowRef;
  n: number;
  timeScale: number;
}

export type JobResult = { status: Status };

export interface BatchInput {
  account: string;
  batch: string;
  policy: JobPolicy;
  timeScale: number;
  syncMaxMs?: number;
  /** Events after which a run hands over to the next; far below the server's limit when not given. */
  eventsMax?: number;
  /** Rows run in the manifest's order: a chain is not carried through before others begin. */
  isBreadthFirst?: true;
  /** Handed from run to run by continue-as-new. */
  state?: BatchState;
}

/** What a batch carries from one run to the next: references and counts only. */
export interface BatchState {
  generation: string;
  rows: number;
  cursor: { part: number; index: number } | null;
  retry: RetryOrder | null;
  /** Rows that share the render of another and wait until all others have ended. */
  deferred?: number;
  /** The second way through the rows, for the deferred ones. */
  isSharing?: boolean;
  open: OpenRow[];
  /** Absent while no row feeds another. */
  chains?: ChainState;
  /** Rows that ended and may go on, since something about them changed in the ledger. */
  reopened?: RowRef[];
  /** Those of them for which the budget has no room before an open row ends. */
  short?: RowRef[];
  /** Open jobs allowed at once; pages bring the newest figure. */
  window: number;
  counts: Record<Status, number>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  paused: boolean;
  /** The record of a row that had ended was corrected since the results were written last. */
  corrected?: true;
  /** Why the results of the batch cannot be written, as the store's code. */
  resultsBlocked?: string;
  /** The semaphore was told that finished files cannot be stored: nothing new is submitted. */
  outputsPaused?: boolean;
  cancelling: boolean;
  limits: BatchLimits;
  /** The most that the batch can have cost, without its open rows; null = not followed, since nothing bounds it. */
  spentNano: CreditsNano | null;
  /** What ended since the read of what was spent began; absent while none is under way. */
  endedMeanwhileNano?: CreditsNano;
  /** Rows that ended without their output since the last order. */
  failures: number;
  /**
   * Of a batch that its home paused: where the search for rows at the service goes on, null = all were found. Absent
   * before it.
   */
  paidFrom?: { part: number; index: number } | null;
  /** Set when the batch stopped by itself. */
  stopped: StopReason | null;
  /** How often its user has let it go on, as far as it was told; absent = nobody said. */
  lifted?: number;
  events: BatchEvent[];
  nextEvent: number;
  startedAtMs: number;
  /** When rows that did not report for a while are looked after next. */
  dueMs?: { sweep?: number };
}

/** Rows that ended before it with a retryable class are run again. */
export interface RetryOrder {
  /** What ended while it stood has this on its record; absent from an older build, whose `beforeMs` says it then. */
  id?: string;
  beforeMs: number;
  /** Empty = every class. */
  classes: string[];
  /** Those that were given before it and that its batch had not carried out, the newest first. */
  also?: Omit<RetryOrder, 'also'>[];
}

/** Something a watcher wants to see; kept in a short ring. */
export interface BatchEvent {
  seq: number;
  atMs: number;
  type: 'row_finished' | 'ambiguous' | 'settled' | 'paused' | 'resumed';
  /** For a pause by `outputs`: the store's code. */
  code?: string;
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
  /** Rows that wait for others which feed them; absent where none does. */
  held?: number;
  /**
   * The first output that cannot be stored, and how many there are; null when all can. `file` is in its way: named by
   * who looks, since no path stands in a history.
   */
  blocked: { id: string | null; code: string; count: number; file?: string } | null;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  events: BatchEvent[];
  startedAtMs: number;
}

export interface BatchResult {
  /** Set when the batch stopped by itself before its last row. */
  stopped?: StopReason;
  counts: Record<Status, number>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
}
