import type { SubmitResult } from '../contract/activities.js';
import { type Attempt, standingOf } from '../domain/attempt.js';

/** What an attempt in the ledger means for its job, as if its submit had just returned. */
export function resultOf(attempt: Attempt): SubmitResult {
  const last = attempt.states.at(-1);
  if (last?.state === 'refused') {
    const { next, retryAfterMs } = last;
    return { outcome: 'refused', n: attempt.n, next, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  const standing = standingOf(attempt);
  return { outcome: 'standing', n: attempt.n, standing: standing === 'refused' ? 'claimed' : standing };
}
