import type { ReasonCode } from '../domain/failure.js';
import type { PageEntry, PageInput, PageResult } from './activities.js';
import type { FedFrom } from './chain-state.js';

/** What workflows and activities say to each other of rows that feed rows: references only. */

/** Why the inputs of a row cannot be used. */
export interface InputRefused {
  reason: ReasonCode;
  /** For people: ids and file names, no URL. */
  text: string;
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
