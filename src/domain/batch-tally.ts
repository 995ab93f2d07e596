import type { CreditsNano } from './money.js';
import type { LiveWord, Status } from './outcome.js';

/** How the rows of a batch's manifest stand, as its results say; rows that left the manifest are not counted. */
export interface BatchTally {
  counts: Record<Status, number>;
  /** Rows that have not ended. */
  open: number;
  /** The open rows by what the ledger says of them. */
  live: Partial<Record<LiveWord, number>>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  /** Rows to be run again that failed.csv leaves out, since nothing could feed them there. */
  orphans?: number;
}
