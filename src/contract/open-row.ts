import type { CreditsNano } from '../domain/money.js';
import type { RowRef } from './row-ref.js';

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
  /** Its answer was lost and the credits check has not decided yet; such a row takes no place of the window. */
  isCase?: true;
  /** Its job was asked to end by an order that a retry has replaced since. */
  wasCancelled?: true;
  restarts: number;
  sinceMs: number;
}
