import type { BatchLimits, StopReason } from '../domain/batch.js';
import type { ReasonCode } from '../domain/failure.js';
import type { Kind } from '../domain/kind.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';
import type { FedFrom } from './rows.js';
import type { Begins, RetryOrder, RowRef } from './workflows.js';

/** What a batch asks of its home, and what it is answered: small plain JSON, references only. */

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
      begins: Begins;
      attempts: number;
      was?: { status: Status; creditsNano: CreditsNano | null };
      /** It feeds other rows. */
      feeds?: true;
      /** The most that an attempt can cost; absent where no price is known. */
      upToNano?: CreditsNano;
      /** As `PageEntry` has it. */
      atServiceNano?: CreditsNano;
    };

/** A batch stopped by itself. */
export interface MarkStoppedInput {
  batch: string;
  reason: StopReason;
  /** How often its user had let it go on, as far as it was told. */
  under?: number;
}

export interface MarkStoppedResult {
  /** Its user has let it go on so often by now: the stop does not stand, and the word of that is still on its way. */
  lifted?: number;
}

export interface FinishInput {
  row: RowRef;
  status: Status;
  /** The attempt that it ends with; where there is none of this number, its last. */
  n?: number;
  reason?: ReasonCode;
  /** What the service answered, in codes. */
  text?: string;
}

/** A row whose job is to be started: small, since a page must stay below 4 KB. */
export interface PageEntry {
  index: number;
  id: string;
  kind: Kind;
  begins: Begins;
  /** Claims so far. */
  attempts: number;
  /** The most that its attempt can cost; null = unknown. */
  upToNano: CreditsNano | null;
  /** The most that its attempt at the service can cost, which has been counted as spent. */
  atServiceNano?: CreditsNano;
  /** What a row that is carried out once more has cost before, which has been counted as spent. */
  earlierNano?: CreditsNano;
}

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
  /**
   * Where the search for rows at the service goes on that stand behind the one at which a paused batch waits; at the start
   * of the first page those of any batch are given before it.
   */
  paidFrom?: { part: number; index: number };
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
  /** The batch is paused by its user's order, and its next row would be sent: the page is then empty. */
  isPaused?: true;
  /** Of such a batch, and of any before its first page, where it was asked for. */
  paid?: PaidBehind;
}

/** Rows that are at the service already, behind one that is still to be sent. */
export interface PaidBehind {
  rows: ReadyRow[];
  /** Where the search goes on; null = there are no more. */
  next: { part: number; index: number } | null;
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
  | { id: string; state: 'restart'; begins: Begins; attempts: number };

export interface SweepInput {
  batch: string;
  ids: string[];
  /** Absent where the batch runs by the build before, which takes the rows alone. */
  withCap?: true;
}

export interface SweptRows {
  rows: OpenRowState[];
  /** As in a page: it may have changed while no page was asked for. */
  cap: number;
}

// ---- rows that feed rows ----

/** Why the inputs of a row cannot be used. */
export interface InputRefused {
  reason: ReasonCode;
  /** For people: ids and file names, no URL. */
  text: string;
  /** A slot may have been asked for the row before that was known. */
  mayBeAsked?: true;
}

export interface FedRowsInput extends Omit<PageInput, 'cursor'> {
  /** Where the batch's pages stand; null when all rows were paged. */
  cursor: PageInput['cursor'] | null;
  feeders: FedFrom[];
  /** Only rows that a person ordered to be rendered again. */
  isOrderedOnly?: true;
}

/** A row that every row that feeds it has made ready. */
export interface ReadyRow {
  part: number;
  entry: PageEntry;
  /** No page has come by it yet. */
  isAhead?: true;
  feeds?: true;
}

export interface FedRowsResult extends Pick<PageResult, 'isShort' | 'cap' | 'limits' | 'isPaused'> {
  rows: ReadyRow[];
  /** Those that are left to be looked at. */
  feeders: FedFrom[];
}
