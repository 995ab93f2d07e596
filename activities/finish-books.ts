import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import { KINDS } from '../src/domain/kind.js';
import { intentOf, ownStates } from '../src/domain/standing.js';
import { bookCharge, bookUnbilled, bookVerdict } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { resultState } from './row-credits.js';
import type { RowWork } from './row-work.js';
import { slotUntilMs } from './waits.js';

/**
 * Enters an attempt whose process died between its end and its books: else the credits check would take it for one that
 * may still be charged, for ever. Can be repeated: what stands in the book stays.
 */
export async function finishBooks(deps: Dependencies, work: RowWork, ref: AttemptRef, attempt: Attempt): Promise<void> {
  const last = attempt.states.at(-1);
  if (last?.state === 'verdict' && (await deps.ledger.isListed(ref))) {
    const endedAtMs = slotUntilMs(deps, attempt, KINDS.indexOf(work.row.kind), work.row);
    return bookVerdict(deps, work, ref, { attempt, endedAtMs, verdict: last.verdict, goneMs: null });
  }
  const end = resultState(attempt) ?? ownStates(attempt).findLast((state) => state.state === 'ended');
  const claimedAtMs = intentOf(attempt)?.atMs;
  if (end === undefined || claimedAtMs === undefined || !(await deps.ledger.isListed(ref))) return;
  const createdAtMs = attempt.states.find(({ state }) => state === 'created')?.atMs;
  const course = { claimedAtMs, createdAtMs, endedAtMs: end.atMs };
  if (end.state === 'ended') await bookUnbilled(deps, work, ref, course);
  else await bookCharge(deps, work, ref, { ...course, facts: end.facts });
  await deps.ledger.close(ref);
}
