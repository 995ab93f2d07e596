import type { AccountReading } from '../src/contract/account-read.js';
import type { PauseReason, SemaphoreState } from '../src/contract/semaphore.js';

/** When the account's pauses for a key or for credits end, from what a read of the account shows. Pure. */

/** More balances than this need not be told apart. */
const SEEN_MAX = 20;

/** Ends the pauses whose cause has changed: never for the same key, never for a balance that did not suffice. */
export function review(state: SemaphoreState, reading: AccountReading): void {
  state.pauses = state.pauses.filter((paused) => {
    if (paused.reason === 'key') return !hasNewKey(paused, reading);
    return paused.reason !== 'credits' || !hasRisen(paused, reading);
  });
}

/** Nothing can be sent, so that nothing is claimed. */
export function isCutOff(state: SemaphoreState): boolean {
  return state.pauses.some(({ reason }) => reason === 'network');
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
function hasRisen(paused: PauseReason, { balanceNano, shownUntilMs = 0 }: AccountReading): boolean {
  if (balanceNano === null) return false;
  const { seenNano, needNano = 0, refusedMs = paused.sinceMs } = paused;
  // Known from the ledger alone, after a crash: nobody can say what the balance was.
  if (seenNano === undefined) return balanceNano >= needNano;
  const hasChanged = seenNano.length > 0 && (shownUntilMs > refusedMs || !seenNano.includes(balanceNano));
  if (hasChanged && balanceNano > Math.min(...seenNano) && balanceNano >= needNano) return true;
  note(paused, [balanceNano]);
  return false;
}

function note(paused: PauseReason, balances: readonly number[]): void {
  if (balances.length === 0) return;
  paused.seenNano = [...new Set([...(paused.seenNano ?? []), ...balances])].slice(-SEEN_MAX);
}
