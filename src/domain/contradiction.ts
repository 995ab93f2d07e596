import type { Attempt, AttemptState } from './attempt.js';

/**
 * True when an attempt that was found not billed by itself turned out to be: by a later verdict, or by a job that
 * exists. Then a later attempt of its row may have been paid as well. Of attempts that were counted together only their
 * number was found.
 */
export function isContradicted({ states }: Attempt): boolean {
  const found = states.findIndex(
    (state) => state.state === 'verdict' && state.verdict === 'not_billed' && state.group === undefined,
  );
  if (found < 0) return false;
  return states
    .slice(found + 1)
    .some((state) => (state.state === 'verdict' ? state.verdict === 'billed' : PROOFS.has(state.state)));
}

/** States that prove that the service took the request. */
const PROOFS: ReadonlySet<AttemptState['state']> = new Set(['created', 'done', 'rendered']);
