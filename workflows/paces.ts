import type { Holder, Pace, SemaphoreState, TurnedAway, Waiting } from '../src/contract/semaphore.js';
import type { Kind } from '../src/domain/kind.js';
import { KINDS } from '../src/kinds/facts.js';

/**
 * How submits slow down after they were turned away, for an account or for one route: they wait 1, 2, 4 and 8 s, one
 * submit at a time tries, and after the fifth refusal in a row they pause. No row fails for it. Pure; waits unscaled.
 */

/** Refusals in a row after which submits pause. */
export const REFUSALS_MAX = 5;
const FIRST_MS = 1_000;
/** A whole account is tried again after 30 s, twice as long each time, up to 5 min; one route every 5 min. */
const ACCOUNT_PAUSE_MS = 30_000;
const PAUSE_MAX_MS = 300_000;
/** So long may a submit that tries keep the others back without an answer: a synchronous one may render on. */
const PROBE_MS = 10_000;

/** A submit was turned away; its holder is still in the list. True when the network is to be waited for. */
export function noteTurnedAway(
  state: SemaphoreState,
  holder: Holder,
  { cause, retryAfterMs = 0 }: TurnedAway,
  nowMs: number,
): boolean {
  const pace = paceFor(state, holder.kind, cause, nowMs);
  // What left before the last refusal was known is of the same burst. An absent network is counted attempt by attempt.
  if (cause === 'network' || holder.sinceMs >= pace.countedMs) {
    pace.refusals += 1;
    pace.countedMs = nowMs;
  }
  pace.cause = cause;
  const waitMs = Math.max(retryAfterMs, gapMs(pace) / state.timeScale);
  pace.untilMs = Math.max(pace.untilMs, nowMs + waitMs);
  if (retryAfterMs > 0) pace.notBeforeMs = Math.max(pace.notBeforeMs ?? 0, nowMs + retryAfterMs);
  return cause === 'network' && pace.refusals >= REFUSALS_MAX;
}

/**
 * A submit was answered: neither its route nor its account is turned away any more. One that left before the last
 * refusal was known says nothing of the time after it, and a time that the service named is kept.
 */
export function noteAnswered(state: SemaphoreState, { kind, sinceMs }: Holder, nowMs: number): void {
  const route = routeOf(kind);
  state.paces = state.paces.filter((pace) => {
    if (pace.route !== null && pace.route !== route) return true;
    return state.pacesByAnswers === true && (sinceMs < pace.countedMs || nowMs < (pace.notBeforeMs ?? 0));
  });
}

/** The service can be reached again: what was paused for the network goes on. */
export function noteReached(state: SemaphoreState): void {
  state.pauses = state.pauses.filter(({ reason }) => reason !== 'network');
  state.paces = state.paces.filter(({ cause }) => cause !== 'network');
}

/** Whether a submit of a kind may go now. */
export function allowsPace(state: SemaphoreState, { kind }: Waiting, nowMs: number): boolean {
  return pacesOf(state, kind).every((pace) => nowMs >= pace.untilMs && probeEndMs(state, pace, nowMs) === undefined);
}

/** When a waiting kind may go next, as far as paces go. */
export function nextPaceMs(state: SemaphoreState, kind: number, nowMs: number): number[] {
  return pacesOf(state, kind).map((pace) => Math.max(pace.untilMs, probeEndMs(state, pace, nowMs) ?? 0));
}

function pacesOf(state: SemaphoreState, kind: number): Pace[] {
  const route = routeOf(kind);
  return state.paces.filter((pace) => pace.route === null || pace.route === route);
}

function paceFor(state: SemaphoreState, kind: number, cause: Pace['cause'], nowMs: number): Pace {
  const route = cause === 'network' || cause === 'rpm' ? null : routeOf(kind);
  const known = state.paces.find((pace) => pace.route === route && (route !== null || pace.cause === cause));
  if (known) return known;
  const pace: Pace = { cause, route, refusals: 0, sinceMs: nowMs, countedMs: 0, untilMs: nowMs };
  state.paces.push(pace);
  return pace;
}

function gapMs({ cause, refusals }: Pace): number {
  if (refusals < REFUSALS_MAX) return FIRST_MS * 2 ** (refusals - 1);
  if (cause === 'network') return ACCOUNT_PAUSE_MS;
  if (cause !== 'rpm') return PAUSE_MAX_MS;
  return Math.min(PAUSE_MAX_MS, ACCOUNT_PAUSE_MS * 2 ** Math.min(refusals - REFUSALS_MAX, 10));
}

/** Until when the submit that tries keeps the others back; undefined when none does. */
function probeEndMs(state: SemaphoreState, { route, countedMs }: Pace, nowMs: number): number | undefined {
  const ends = state.holders.flatMap(({ phase, kind, sinceMs }) => {
    const isProbe = phase === 'granted' && sinceMs >= countedMs && (route === null || routeOf(kind) === route);
    return isProbe && nowMs < sinceMs + PROBE_MS ? sinceMs + PROBE_MS : [];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** Kinds that are submitted to one address share what happens to it. */
function routeOf(kindNumber: number): Kind | null {
  const kind = KINDS[kindNumber] ?? null;
  return kind === 'vendor-g/video' ? 'vendor-c/video' : kind;
}
