import type { Evidence } from '../src/books/check/evidence.js';
import type { Attempt, AttemptRef, Verdict } from '../src/domain/attempt.js';
import type { Dependencies } from './dependencies.js';

/**
 * A handle or an output's URL that a lost answer named: asking after it may bring what was paid for, so it is asked
 * after before anything is decided that gives the output up.
 */

/** So long after the submit, unscaled ms: what was accepted may not be there to be seen yet. */
const ASK_FOR_MS = 600_000;
/** What was asked so shortly before a decision, unscaled ms, need not be asked again; on a slow machine, of the clock. */
const FRESH_MS = 60_000;
const FRESH_MIN_MS = 5_000;
/** Beyond this the oldest are forgotten, and asked after once more. */
const KEPT_MAX = 1_000;

const asked = new WeakMap<Dependencies, Map<string, number>>();

export function hasHint({ states }: Attempt): boolean {
  return states.some(
    (state) => 'salvagedHandle' in state || (state.state === 'unknown' && state.evidence.outputUrl !== undefined),
  );
}

/** Before the service is asked: a try that fails counts as well, and the case goes on without it. */
export function noteAsked(deps: Dependencies, ref: AttemptRef): void {
  const times = asked.get(deps) ?? new Map<string, number>();
  asked.set(deps, times);
  times.delete(nameOf(ref));
  times.set(nameOf(ref), deps.now());
  const [oldest] = times.keys();
  if (times.size > KEPT_MAX && oldest !== undefined) times.delete(oldest);
}

/** True where a case is not decided like this yet, since its hint is to be asked after first. */
export function isAskedFirst(
  deps: Dependencies,
  ref: AttemptRef,
  attempt: Attempt,
  { nowMs, subject }: Evidence,
  verdict: Verdict,
): boolean {
  if (!hasHint(attempt)) return false;
  const { timeScale } = deps.settings;
  if (verdict !== 'not_billed' && nowMs < subject.t0Ms + ASK_FOR_MS / timeScale) return true;
  // A reading that waited for the service to come back may be the first word of it for hours.
  const askedMs = asked.get(deps)?.get(nameOf(ref)) ?? Number.NEGATIVE_INFINITY;
  return deps.now() - askedMs > Math.max(FRESH_MIN_MS, FRESH_MS / timeScale);
}

function nameOf({ batch, id, n }: AttemptRef): string {
  return JSON.stringify([batch, id, n]);
}
