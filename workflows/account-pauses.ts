import type { AccountReading } from '../src/contract/account.js';
import type { PauseReason, SemaphoreState } from '../src/contract/semaphore.js';
import { NANO_PER_CREDIT } from '../src/domain/money.js';

/** When the account's pauses for a key or for credits end, from what a read of the account shows. Pure. */

/** More balances than this need not be told apart. */
const SEEN_MAX = 20;
/** Credits are bought from five whole ones on; a rise from here on is no refund of a few jobs, nor what charges left of one. */
const BOUGHT_MIN_NANO = NANO_PER_CREDIT;

/**
 * Ends the pauses whose cause has changed: never for the same key, never for a balance that did not suffice. `mayTryLess`
 * is asked before a purchase ends one that is smaller than what was needed.
 */
export function review(state: SemaphoreState, reading: AccountReading, mayTryLess: () => boolean): void {
  state.pauses = state.pauses.filter((paused) => {
    if (paused.reason === 'key') return !hasNewKey(paused, reading);
    return paused.reason !== 'credits' || !hasRisen(paused, reading, mayTryLess);
  });
}

/** A refusal that comes while the account is paused for the same cause adds what it knows. */
export function merge(known: PauseReason, again: Pick<PauseReason, 'seenNano' | 'keyMark'>, nowMs: number): void {
  note(known, again.seenNano ?? []);
  known.refusedMs = nowMs;
  if (again.keyMark !== undefined) known.keyMark = again.keyMark;
}

/** The read was answered, so its key is good; whether it is another one, its mark says. */
function hasNewKey({ keyMark }: PauseReason, reading: AccountReading): boolean {
  return keyMark === undefined || reading.keyMark === undefined || keyMark !== reading.keyMark;
}

/**
 * A balance above a lower one seen since the refusal, and not itself one of those while it may be late: it may show
 * again what was there before, and a balance that looks sufficient was not. Later the same figure is a top-up.
 */
function hasRisen(
  paused: PauseReason,
  { balanceNano, shownUntilMs = 0 }: AccountReading,
  mayTryLess: () => boolean,
): boolean {
  if (balanceNano === null) return false;
  const { seenNano, needNano = 0, refusedMs = paused.sinceMs } = paused;
  // Known from the ledger alone, after a crash: nobody can say what the balance was.
  if (seenNano === undefined) return balanceNano >= needNano;
  const hasChanged = seenNano.length > 0 && (shownUntilMs > refusedMs || !seenNano.includes(balanceNano));
  const moreNano = balanceNano - Math.min(...seenNano);
  if (hasChanged && moreNano > 0 && balanceNano >= needNano) return true;
  // The row that needs more may have been cancelled, and others need less: a refusal costs nothing.
  if (hasChanged && moreNano >= BOUGHT_MIN_NANO && mayTryLess()) return true;
  note(paused, [balanceNano]);
  return false;
}

function note(paused: PauseReason, balances: readonly number[]): void {
  if (balances.length === 0) return;
  paused.seenNano = [...new Set([...(paused.seenNano ?? []), ...balances])].slice(-SEEN_MAX);
}
