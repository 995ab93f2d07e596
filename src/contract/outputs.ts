import type { Status } from '../domain/outcome.js';
import type { RowRef } from './workflows.js';

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
}

/** A row ended without its paid output, which may still come: it is fetched on without the row. */
export interface LateOutputInput {
  account: string;
  row: RowRef;
  n: number;
  timeScale: number;
  before: OutputTries;
}
