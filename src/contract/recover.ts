import type { Breaker, Kind } from '../domain/kind.js';
import type { JobKey } from './semaphore.js';

/** What the home tells the semaphore of the jobs that hold slots. */

export interface RecoverResult {
  holders: RecoveredHolder[];
  /** The entry of the index that this page ended with, or null at the end; a number at the start. */
  next: string | number | null;
  /** As the home remembers them; on the first page. */
  breakers?: Breaker[];
  /** The cap as it was last read; on the first page, where it was ever read. */
  concurrent?: number;
}

/** What to do with a holder that was asked after: leave it, or free its slot. */
export type SweepAction = { job: JobKey; action: 'keep' | 'free' };

export interface RecoveredHolder {
  job: JobKey;
  kind: Kind;
  sinceMs: number;
  n: number;
  /** For a row that ended without an answer: its slot goes back by itself then. */
  releaseAtMs?: number;
}
