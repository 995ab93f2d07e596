import type { SubmitResult } from '../src/contract/activities.js';
import type { RowRef } from '../src/contract/workflows.js';
import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import { standingOf } from '../src/domain/standing.js';
import { nameAgain } from './contested.js';
import type { Dependencies } from './dependencies.js';
import type { SaveAtOnce } from './save-at-once.js';

/** What an attempt in the ledger means for its job, as if its submit had just returned. */
export async function resultOf(deps: Dependencies, ref: AttemptRef, attempt: Attempt): Promise<SubmitResult> {
  const isAnswered = ['created', 'done'].includes(standingOf(attempt));
  if (!isAnswered || (await nameAgain(deps, ref, attempt))) return toResult(attempt);
  // Its answer was another attempt's: the ledger says so by now.
  return toResult((await deps.ledger.readAttempt(ref)) ?? attempt);
}

/** A row whose output came with the answer may have ended with it; a slot that is not given back yet goes first. */
export async function withOutput(save: SaveAtOnce, row: RowRef, sent: SubmitResult): Promise<SubmitResult> {
  if (sent.outcome !== 'standing' || sent.standing !== 'done') return sent;
  const { n, released } = sent;
  if (released !== true) return sent;
  const status = await save({ row, n });
  return status === undefined ? sent : { outcome: 'ended', status, released };
}

function toResult(attempt: Attempt): SubmitResult {
  const last = attempt.states.at(-1);
  if (last?.state === 'refused') {
    const { next, retryAfterMs } = last;
    return { outcome: 'refused', n: attempt.n, next, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  const standing = standingOf(attempt);
  return { outcome: 'standing', n: attempt.n, standing: standing === 'refused' ? 'claimed' : standing };
}
