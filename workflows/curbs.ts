import type {
  Holder,
  OpenBreaker,
  OpenedCase,
  Pace,
  SemaphoreState,
  TurnedAway,
  Waiting,
} from '../src/contract/semaphore.js';
import { type Breaker, type Kind, type Provider, providerOf } from '../src/domain/kind.js';
import { PAUSE_MAX_MS, REFUSALS_MAX } from '../src/domain/turned-away.js';
import { routeOf } from '../src/kinds/facts.js';
import { sameJob } from './cap.js';

/**
 * How submits slow down after they were turned away, for an account or for one route: they wait 1, 2, 4 and 8 s, one
 * submit at a time tries, and after the fifth refusal in a row they pause. No row fails for it. Pure; waits unscaled.
 */

const FIRST_MS = 1_000;
/** A whole account is tried again after 30 s, twice as long each time, up to 5 min; one route every 5 min. */
const ACCOUNT_PAUSE_MS = 30_000;
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
    return sinceMs < pace.countedMs || nowMs < (pace.notBeforeMs ?? 0);
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
export function nextPaceMs(state: SemaphoreState, kind: Kind, nowMs: number): number[] {
  return pacesOf(state, kind).map((pace) => Math.max(pace.untilMs, probeEndMs(state, pace, nowMs) ?? 0));
}

function pacesOf(state: SemaphoreState, kind: Kind): Pace[] {
  const route = routeOf(kind);
  return state.paces.filter((pace) => pace.route === null || pace.route === route);
}

function paceFor(state: SemaphoreState, kind: Kind, cause: Pace['cause'], nowMs: number): Pace {
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

// ---- families whose submits go wrong again and again: one probe at a time until one goes through ----

/** A second lost answer of a family within this opens its breaker, ms. */
const CASES_WITHIN_MS = 600_000;
/** The wait before a probe, doubled by each that fails, up to the longest, ms. */
const BACKOFF: Record<Breaker['cause'], { firstMs: number; mostMs: number }> = {
  cases: { firstMs: 30_000, mostMs: 600_000 },
  outage: { firstMs: 4_000, mostMs: 30_000 },
};

/** Books a lost answer, once per attempt. */
export function noteCase(state: SemaphoreState, opened: OpenedCase, nowMs: number): void {
  const family = providerOf(opened.kind);
  const { job, n, lostMs } = opened;
  const atMs = lostMs ?? opened.atMs;
  if (family === undefined || state.cases.some((c) => c.n === n && sameJob(c.job, job))) return;
  // An open case is told again at each look: one from before its family went through is no news.
  if (lostMs !== undefined && lostMs <= (state.closedMs?.[family] ?? 0)) return;
  const sinceMs = nowMs - CASES_WITHIN_MS / state.timeScale;
  state.cases = [...state.cases.filter((c) => c.atMs >= sinceMs), { job, n, family, atMs }];
  const breaker = state.breakers.find((b) => b.family === family);
  if (breaker) {
    // A row that is paid again has the slot of its earlier attempt as well.
    const isProbe = state.holders.some((h) => h.grant === breaker.probe && sameJob(h.job, job));
    if (isProbe) fail(state, breaker, 'cases', nowMs);
  } else if (state.cases.filter((c) => c.family === family && c.atMs >= sinceMs).length >= 2) {
    open(state, family, 'cases', nowMs);
  }
}

/** The service accepted this grant's submit: where it was the probe, its family is open again. */
export function noteThrough(state: SemaphoreState, grant: number, nowMs: number): void {
  const closed = state.breakers.find((b) => b.probe === grant);
  if (closed === undefined) return;
  state.breakers = state.breakers.filter((b) => b !== closed);
  // What was lost before the probe says nothing about the time after it.
  state.cases = state.cases.filter((c) => c.family !== closed.family);
  state.closedMs = { ...state.closedMs, [closed.family]: nowMs };
}

/** Whether a job of a kind may be granted: always, but as the one probe where its breaker is open. */
export function allowsKind(state: SemaphoreState, kind: Kind, nowMs: number): boolean {
  const breaker = breakerOf(state, kind);
  if (breaker === undefined) return true;
  return nowMs >= breaker.nextProbeMs && nowMs >= probedUntilMs(state, breaker);
}

/** Marks a fresh grant as the probe of its family's breaker. */
export function markProbe(state: SemaphoreState, kind: Kind, grant: number): void {
  const breaker = breakerOf(state, kind);
  if (breaker) breaker.probe = grant;
}

/** When a waiting kind may be probed next, or undefined. */
export function nextProbeMs(state: SemaphoreState, kind: Kind): number | undefined {
  const breaker = breakerOf(state, kind);
  if (breaker === undefined) return undefined;
  const untilMs = Math.max(breaker.nextProbeMs, probedUntilMs(state, breaker));
  return Number.isFinite(untilMs) ? untilMs : undefined;
}

function breakerOf(state: SemaphoreState, kind: Kind): OpenBreaker | undefined {
  const family = providerOf(kind);
  return state.breakers.find((b) => b.family === family);
}

/**
 * Until when a probe keeps the next one back. One whose grant came back without a word was no proof either way, nor is
 * one whose answer was told to nobody: what it said may have been lost on its way here.
 */
function probedUntilMs(state: SemaphoreState, { probe }: OpenBreaker): number {
  const holder = probe === undefined ? undefined : state.holders.find(({ grant }) => grant === probe);
  if (holder === undefined) return 0;
  return holder.phase === 'granted' ? holder.sinceMs + BACKOFF.cases.mostMs / state.timeScale : 0;
}

function open(state: SemaphoreState, family: Provider, cause: Breaker['cause'], nowMs: number): void {
  state.breakers.push({ family, cause, sinceMs: nowMs, failures: 0, nextProbeMs: probeAt(state, cause, 0, nowMs) });
}

function fail(state: SemaphoreState, breaker: OpenBreaker, cause: Breaker['cause'], nowMs: number): void {
  delete breaker.probe;
  breaker.cause = cause;
  breaker.failures += 1;
  breaker.nextProbeMs = probeAt(state, cause, breaker.failures, nowMs);
}

function probeAt(state: SemaphoreState, cause: Breaker['cause'], failures: number, nowMs: number): number {
  const { firstMs, mostMs } = BACKOFF[cause];
  return nowMs + Math.min(mostMs, firstMs * 2 ** Math.min(failures, 10)) / state.timeScale;
}
