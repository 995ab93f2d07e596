import type { Attempt, AttemptState, Evidence, Intent } from './attempt.js';

/**
 * Where an attempt stands. `claimed` = a claim and nothing later: it may be in flight, or its process died.
 * `open_case` = the answer is lost and there is no verdict yet. `given_up` and `written_off` = a person says that it was
 * billed and is lost, or that it was not billed.
 */
export type Standing =
  | 'void'
  | 'claimed'
  | 'refused'
  | 'created'
  | 'done'
  | 'open_case'
  | 'billed'
  | 'not_billed'
  | 'undecided'
  | 'given_up'
  | 'written_off'
  | 'overridden'
  | 'rendered'
  | 'ended';

/** The standing of an attempt by its last record. What was rendered stays billed though the service has it no more. */
export function standingOf(attempt: Attempt): Standing {
  const last = attempt.states.at(-1);
  if (last === undefined) return 'claimed';
  switch (last.state) {
    case 'intent':
      return 'claimed';
    case 'created_lost':
    case 'unknown':
      return 'open_case';
    case 'verdict':
      return last.verdict;
    case 'ruled':
      return last.ruling === 'billed' ? 'given_up' : 'written_off';
    case 'attached':
      return 'created';
    case 'ended':
      return attempt.states.some(({ state }) => state === 'rendered') ? 'rendered' : 'ended';
    case 'void':
    case 'refused':
    case 'created':
    case 'done':
    case 'overridden':
    case 'rendered':
      return last.state;
  }
}

/** True when an attempt is known not to cost. */
export function isKnownUnbilled(standing: Standing): boolean {
  return (['void', 'refused', 'not_billed', 'written_off', 'ended'] as Standing[]).includes(standing);
}

/** True when its job may render. */
export function isAtService(standing: Standing): boolean {
  return standing === 'created' || standing === 'claimed' || standing === 'open_case';
}

/** Of a row: the attempt whose job turned up late and goes on, whatever was tried behind it for nothing. */
export function jobLeft(attempts: readonly Attempt[]): Attempt | undefined {
  const costly = attempts.findLast((one) => !isKnownUnbilled(standingOf(one)));
  return costly && standingOf(costly) === 'created' ? costly : undefined;
}

/** True when an attempt was settled without its output: its job may still run, and hold its slot, for a while. */
export function isLost(standing: Standing): boolean {
  const lost: Standing[] = ['billed', 'undecided', 'given_up', 'overridden'];
  return lost.includes(standing);
}

/** True when a job of the attempt exists for certain, and is not known to have ended unbilled. */
export function hasJob(standing: Standing): boolean {
  return standing === 'created' || standing === 'done' || standing === 'rendered';
}

/** True when a further attempt may be claimed: this one is known not to cost, or an override is on record. */
export function allowsAnother(standing: Standing): boolean {
  return isKnownUnbilled(standing) || standing === 'overridden';
}

/** The override of an attempt, if one was ever recorded. */
export function overrideOf(attempt: Attempt): Extract<AttemptState, { state: 'overridden' }> | undefined {
  return attempt.states.findLast((state) => state.state === 'overridden');
}

/** The claim of an attempt, if it can be read. */
export function intentOf(attempt: Attempt): Intent | undefined {
  const first = attempt.states[0];
  return first?.state === 'intent' ? first : undefined;
}

/** The handle of an attempt, from the service's answer or from a person; the last one counts. */
export function handleOf(attempt: Attempt): string | undefined {
  return acceptanceOf(attempt)?.handle;
}

/** The record from which the attempt has its handle; none where that handle turned out to be another attempt's. */
export function acceptanceOf(attempt: Attempt): Extract<AttemptState, { state: 'created' | 'attached' }> | undefined {
  return ownStates(attempt).findLast((state) => state.state === 'created' || state.state === 'attached');
}

/** What is recorded of the attempt itself: an answer that was another's, repeated on the way, tells nothing of it. */
export function ownStates({ states }: Attempt): AttemptState[] {
  return states.slice(states.findLastIndex(isRepeated) + 1);
}

/** True of the record that takes the answer before it back: it was an old one of another attempt. */
function isRepeated(state: AttemptState | undefined): boolean {
  return state?.state === 'unknown' && state.evidence.rule === 'T8';
}

/** True of an answer, or of a person's handle, that the record after it takes back. */
export function isTakenBack({ state }: AttemptState, next: AttemptState | undefined): boolean {
  return (state === 'created' || state === 'done' || state === 'attached') && isRepeated(next);
}

/** True of a lost answer that comes late after all and names its output (TS), where none was known. */
export function namesOutput(last: AttemptState, next: AttemptState): boolean {
  if (last.state !== 'unknown' || next.state !== 'unknown') return false;
  return last.evidence.outputUrl === undefined && next.evidence.outputUrl !== undefined;
}

/** True of what stands again after an answer was taken back: a verdict, or what a person or a policy has decided. */
export function isSettling({ state }: AttemptState): boolean {
  return ['verdict', 'attached', 'ruled', 'overridden'].includes(state);
}

/** How many records tell something: an answer that was taken back, and what stood before it standing again, do not. */
export function countTold({ states }: Attempt): number {
  const again = states.filter((answer, at) => {
    const [before, repeated, after] = [states[at - 1], states[at + 1], states[at + 2]];
    return (
      isTakenBack(answer, repeated) && before?.state === after?.state && before !== undefined && isSettling(before)
    );
  });
  return states.length - 3 * again.length;
}

/**
 * True when an attempt that was found not billed by itself turned out to be: by a later verdict, or by a job that
 * exists. Then a later attempt of its row may have been paid as well. Of attempts that were counted together only their
 * number was found: it contradicts them where that was wrong (`isMiscounted`).
 */
export function isContradicted(attempt: Attempt, isMiscounted = false): boolean {
  const { states } = attempt;
  // A job that came to nothing was not billed, or gave it back.
  if (standingOf(attempt) === 'ended') return false;
  const found = states.findIndex(
    (state) =>
      state.state === 'verdict' && state.verdict === 'not_billed' && (isMiscounted || state.group === undefined),
  );
  if (found < 0) return false;
  return states
    .slice(found + 1)
    .some((state, at, later) =>
      state.state === 'verdict'
        ? state.verdict === 'billed'
        : PROOFS.has(state.state) && !isTakenBack(state, later[at + 1]),
    );
}

/** A person said that it was not billed, and its job turned up. */
export function isRuledWrongly(attempt: Attempt): boolean {
  const wasRuled = attempt.states.some((state) => state.state === 'ruled' && state.ruling === 'not_billed');
  return wasRuled && hasJob(standingOf(attempt));
}

/**
 * The answer by which the service refused what it did not bill: a whole 400 or 422 of no documented form, found not
 * billed by the balance. A policy does not send the same again ("never retry other 4xx", service document 1, Errors).
 */
export function refusalOf(attempt: Attempt): Evidence | undefined {
  const last = attempt.states.at(-1);
  if (last?.state !== 'verdict' || last.verdict !== 'not_billed' || last.byPerson) return undefined;
  return wholeRefusal(attempt);
}

/** The same whatever was found of it. */
export function wholeRefusal({ states }: Attempt): Evidence | undefined {
  const lost = states.findLast(({ state }) => state !== 'verdict');
  if (lost?.state !== 'unknown') return undefined;
  const { status, phase, answer = '' } = lost.evidence;
  const isWhole = phase === undefined && answer.trimStart().startsWith('{');
  return isWhole && (status === 400 || status === 422) ? lost.evidence : undefined;
}

/** States that prove that the service took the request. */
const PROOFS: ReadonlySet<AttemptState['state']> = new Set(['created', 'done', 'rendered']);
