import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';

/** A row that is done and feeds others. */
export interface FedFrom {
  /** Its index in the generation. */
  index: number;
  /** How many of the rows that it feeds were looked at. */
  seen: number;
}

/** What a batch carries of its chains from one run to the next; bounded by its window. */
export interface ChainState {
  /** Rows that pages passed over and that have not been opened since. */
  held: number;
  /** Rows that are done, and whose dependents may be ready. */
  feeders: FedFrom[];
  /** Rows that ended before a page came by them: it counts them by their records. */
  ahead: { counts: Partial<Record<Status, number>>; creditsNano: CreditsNano };
  /** The batch goes on for one row by an order that named its cost alone: nothing that rows feed is begun. */
  isFrozen?: true;
  /** But for rows that a person ordered to be rendered again. */
  opensOrdered?: true;
  /** Going through the rows once more for held ones: whether any was opened. `over` once nothing was. */
  rescan?: 'nothing' | 'opened' | 'over';
}
