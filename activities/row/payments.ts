import { upperCredits } from '../../src/books/credits.js';
import type {
  AttemptInput,
  OverrideInput,
  OverrideResult,
  ReserveInput,
  ReserveResult,
} from '../../src/contract/attempts.js';
import type { Attempt, AttemptRef } from '../../src/domain/attempt.js';
import type { CreditsNano } from '../../src/domain/money.js';
import { overrideOf, standingOf } from '../../src/domain/standing.js';
import { loadRow } from '../../src/home/row-work.js';
import { orderedPolicy } from '../../src/home/run-order.js';
import { isReserved, reserveWaste, returnWaste } from '../../src/home/waste-book.js';
import type { Dependencies } from '../dependencies.js';
import { resultOf } from './submit-guard.js';

/** Another payment for a row whose attempt may have been billed: reserved in the waste book before it is granted. */

export async function reservePayment(deps: Dependencies, input: ReserveInput): Promise<ReserveResult> {
  const { row: rowRef, n } = input;
  const attempts = await deps.ledger.read(rowRef.batch, rowRef.id);
  const attempt = attempts.find((one) => one.n === n);
  if (!attempt) return { outcome: 'refused' };
  const { row, adapter } = await loadRow(deps, rowRef);
  const upToNano = await upperCredits(deps.books, rowRef.batch, row);
  const standing = standingOf(attempt);
  if (standing === 'overridden') return { outcome: 'reserved', upToNano };
  const ref: AttemptRef = { batch: rowRef.batch, id: rowRef.id, n };
  if (standing !== 'undecided') return { outcome: 'standing', result: await resultOf(deps, ref, attempt) };
  if (upToNano === null || isPaidAgain(attempts)) return { outcome: 'refused' };
  if (input.cause === 'sync' && (adapter.flow !== 'sync' || upToNano >= deps.settings.syncMaxWasteNano)) {
    return { outcome: 'refused' };
  }
  const said = { ambiguity: input.cause === 'always' ? 'always' : 'hold', wasteMaxNano: input.wasteMaxNano } as const;
  const policy = await orderedPolicy(deps, rowRef.batch, said);
  if (policy.ambiguity !== said.ambiguity) return { outcome: 'refused' };
  return (await hasRoom(deps, ref, upToNano, policy)) ? { outcome: 'reserved', upToNano } : { outcome: 'refused' };
}

/** Once a row, whichever policy it was. */
function isPaidAgain(attempts: Attempt[]): boolean {
  return attempts.some((attempt) => (overrideOf(attempt)?.cause ?? 'rerun') !== 'rerun');
}

function hasRoom(
  deps: Dependencies,
  ref: AttemptRef,
  nano: CreditsNano,
  { wasteMaxNano }: { wasteMaxNano: CreditsNano },
): Promise<boolean> {
  return reserveWaste(deps.home, ref, nano, { maxNano: wasteMaxNano, atMs: deps.now() });
}

export async function returnPayment(deps: Dependencies, { row, n }: AttemptInput): Promise<void> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  if (attempt && standingOf(attempt) !== 'overridden') await returnWaste(deps.home, ref, deps.now());
}

export async function override(deps: Dependencies, { row, n, cause }: OverrideInput): Promise<OverrideResult> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  const why = cause === 'sync' ? 'its price is below sync.maxWaste' : 'its price is within alwaysMaxWaste';
  const state = { state: 'overridden', atMs: deps.now(), cause, by: { who: 'policy', why } } as const;
  const before = await deps.ledger.readAttempt(ref);
  const isDue = before && standingOf(before) === 'undecided' && (await isReserved(deps.home, ref));
  // The waste book was read meanwhile: a late answer that came wins.
  if (isDue) await deps.ledger.append(ref, state, before);
  const attempt = (await deps.ledger.readAttempt(ref)) ?? { n, states: [], torn: true };
  if (standingOf(attempt) === 'overridden') return { outcome: 'granted' };
  return { outcome: 'standing', result: await resultOf(deps, ref, attempt) };
}
