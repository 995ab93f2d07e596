import type { Kind } from '../domain/kind.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';

/** Where a row stands: its batch, generation, part, place in the part, and id. */
export interface RowRef {
  batch: string;
  generation: string;
  part: number;
  /** 0-based place within the part. */
  index: number;
  id: string;
  kind: Kind;
}

/** A row whose job was started and has not reported its end, as its batch hands it from run to run. */
export interface OpenRow {
  row: RowRef;
  /** The row in a newer manifest, where that one's page has come by while the row was open. */
  now?: RowRef;
  /** The generation whose count it belongs to; an older one than the batch's is not counted. */
  countedIn: string;
  /** It shares the render of another row. */
  isSharing?: boolean;
  /** Other rows feed it. */
  isFed?: true;
  /** It feeds other rows. */
  feeds?: true;
  /** It was opened before a page came by it. */
  isAhead?: true;
  /** Why its output cannot be stored, as the store's code; the batch submits nothing new meanwhile. */
  blocked?: string;
  /** The most that its attempt can cost; null when unknown. */
  upToNano: CreditsNano | null;
  /** What is reserved for paying it again, last because of attempt `n`. */
  again?: { n: number; nano: CreditsNano };
  /** An attempt of it was at the service when it was opened. */
  isJoined?: true;
  /** The most that this attempt can cost: its job pays no more for another one, should it end unbilled. */
  atServiceNano?: CreditsNano;
  /** What the row was counted with when it had ended before; of a joined one whose attempt may be in no sum. */
  countedNano?: CreditsNano;
  /** Its answer was lost and the credits check has not decided yet; such a row takes no place of the window. */
  isCase?: true;
  /** Its job was asked to end by an order that a retry has replaced since. */
  wasCancelled?: true;
  /** The same for a stop of its batch's own, which its user has taken back since. */
  wasStopped?: true;
  restarts: number;
  sinceMs: number;
}

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
  /** Rows that are done, and whose dependents may be ready; a bounded number. */
  feeders: FedFrom[];
  /** More were done than are kept: what they feed is found by going through the rows once more. */
  isRescanDue?: true;
  /** Rows that ended before a page came by them: it counts them by their records. */
  ahead: { counts: Partial<Record<Status, number>>; creditsNano: CreditsNano };
  /** The batch goes on for one row by an order that named its cost alone: nothing that rows feed is begun. */
  isFrozen?: true;
  /** But for rows that a person ordered to be rendered again. */
  opensOrdered?: true;
  /** Going through the rows once more for held ones: whether any was opened. `over` once nothing was. */
  rescan?: 'nothing' | 'opened' | 'over';
}
