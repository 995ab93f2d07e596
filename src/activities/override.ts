import type { OverrideInput, OverrideResult } from '../contract/activities.js';
import { type Attempt, type AttemptRef, intentOf, standingOf } from '../domain/attempt.js';
import type { CreditsNano } from '../domain/money.js';
import { reserveWaste } from '../store/waste-book.js';
import { bookLost } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { listCredits } from './prices.js';
import { loadRow, type RowWork } from './row-work.js';
import { resultOf } from './submit-result.js';
import { SYNC_MAX_MS, slotUntilMs } from './waits.js';

export interface OverrideActivities {
  /**
   * Lets a row be paid again by policy, on record (I1): `always` as long as the worst case stays within the batch's
   * waste limit, `sync` for a call below `sync.maxWaste` that cannot run any more (service document 1, 504: 120 s).
   */
  override(input: OverrideInput): Promise<OverrideResult>;
}

export function overrideActivities(deps: Dependencies): OverrideActivities {
  return { override: (input) => withRecords(() => override(deps, input)) };
}

async function override(deps: Dependencies, input: OverrideInput): Promise<OverrideResult> {
  const { row: rowRef, n, cause } = input;
  const ref: AttemptRef = { batch: rowRef.batch, id: rowRef.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  if (!attempt) return { outcome: 'refused' };
  const work = await loadRow(deps, rowRef);
  const untilMs = slotUntilMs(deps, attempt, rowRef.kind);
  const standing = standingOf(attempt);
  if (standing === 'overridden') return { outcome: 'granted', slotUntilMs: untilMs };
  // A claim without an answer is the credits check's to open as a case.
  if (standing === 'claimed') return { outcome: 'refused' };
  const isFor = cause === 'sync' ? standing === 'open_case' : standing === 'billed' || standing === 'undecided';
  if (!isFor) return { outcome: 'standing', result: resultOf(attempt), slotUntilMs: untilMs };
  const priceNano = intentOf(attempt)?.expected?.hi ?? null;
  if (priceNano === null) return { outcome: 'refused' };
  const permission =
    cause === 'sync' ? cheapCall(deps, work, attempt, priceNano) : await withinWaste(deps, ref, priceNano, input);
  if (permission !== 'granted') return permission;
  const why = cause === 'sync' ? 'its price is below sync.maxWaste' : 'its price is within alwaysMaxWaste';
  const by = { who: 'policy', why };
  // A late answer that was recorded meanwhile wins.
  if (!(await deps.ledger.append(ref, { state: 'overridden', atMs: deps.now(), cause, by }))) {
    const late = (await deps.ledger.readAttempt(ref)) ?? attempt;
    return { outcome: 'standing', result: resultOf(late), slotUntilMs: untilMs };
  }
  if (cause === 'sync') await book(deps, work, ref, attempt, untilMs);
  return { outcome: 'granted', slotUntilMs: untilMs };
}

type Permission = 'granted' | Extract<OverrideResult, { outcome: 'refused' | 'wait' }>;

function cheapCall(deps: Dependencies, { adapter }: RowWork, attempt: Attempt, priceNano: CreditsNano): Permission {
  const { syncMaxWasteNano, timeScale } = deps.settings;
  if (adapter.flow !== 'sync' || priceNano >= syncMaxWasteNano) return { outcome: 'refused' };
  const endedAtMs = (attempt.states[0]?.atMs ?? deps.now()) + SYNC_MAX_MS / timeScale;
  return endedAtMs > deps.now() ? { outcome: 'wait', delayMs: endedAtMs - deps.now() } : 'granted';
}

async function withinWaste(
  deps: Dependencies,
  ref: AttemptRef,
  priceNano: CreditsNano,
  { wasteMaxNano }: OverrideInput,
): Promise<Permission> {
  const limit = { maxNano: wasteMaxNano, atMs: deps.now() };
  return (await reserveWaste(deps.home, ref, priceNano, limit)) ? 'granted' : { outcome: 'refused' };
}

/** Without a verdict other cases must know that this call may have been billed. */
async function book(
  deps: Dependencies,
  work: RowWork,
  ref: AttemptRef,
  attempt: Attempt,
  endedAtMs: number,
): Promise<void> {
  const intent = intentOf(attempt);
  const claimedAtMs = intent?.atMs ?? endedAtMs;
  const price = { cost: intent?.expected ?? null, list: await listCredits(deps, work.row) };
  const lost = { claimedAtMs, endedAtMs, verdict: 'undecided', seenAtMs: deps.now(), ...price } as const;
  await bookLost(deps, work.row, ref, lost);
}
