import type { OpenBreaker, OpenedCase, SemaphoreState } from '../src/contract/semaphore.js';
import { type Breaker, type Provider, providerOf } from '../src/domain/kind.js';
import { KINDS } from '../src/kinds/facts.js';
import { sameJob } from './same-job.js';

/** Families whose submits go wrong again and again: one probe at a time until one goes through. Pure; waits unscaled. */

/** A second lost answer of a family within this opens its breaker, ms. */
const CASES_WITHIN_MS = 600_000;
/** The wait before a probe, doubled by each that fails, up to the longest, ms. */
const BACKOFF: Record<Breaker['cause'], { firstMs: number; mostMs: number }> = {
  cases: { firstMs: 30_000, mostMs: 600_000 },
  outage: { firstMs: 4_000, mostMs: 30_000 },
};

export function familyOf(kindNumber: number): Provider | undefined {
  const kind = KINDS[kindNumber];
  return kind === undefined ? undefined : providerOf(kind);
}

/** Books a lost answer, once per attempt. */
export function noteCase(state: SemaphoreState, opened: OpenedCase, nowMs: number): void {
  const family = familyOf(opened.kind);
  const { job, n, atMs } = opened;
  if (family === undefined || state.cases.some((c) => c.n === n && sameJob(c.job, job))) return;
  const sinceMs = nowMs - CASES_WITHIN_MS / state.timeScale;
  state.cases = [...state.cases.filter((c) => c.atMs >= sinceMs), { job, n, family, atMs }];
  const holder = state.holders.find((h) => sameJob(h.job, job));
  const breaker = state.breakers.find((b) => b.family === family);
  if (breaker) {
    if (holder !== undefined && breaker.probe === holder.grant) fail(state, breaker, 'cases', nowMs);
  } else if (state.cases.filter((c) => c.family === family && c.atMs >= sinceMs).length >= 2) {
    open(state, family, 'cases', nowMs);
  }
}

/** The service accepted this grant's submit: where it was the probe, its family is open again. */
export function noteThrough(state: SemaphoreState, grant: number): void {
  const closed = state.breakers.find((b) => b.probe === grant);
  if (closed === undefined) return;
  state.breakers = state.breakers.filter((b) => b !== closed);
  // What was lost before the probe says nothing about the time after it.
  state.cases = state.cases.filter((c) => c.family !== closed.family);
}

/** Whether a job of a kind may be granted: always, but as the one probe where its breaker is open. */
export function allowsKind(state: SemaphoreState, kind: number, nowMs: number): boolean {
  const breaker = breakerOf(state, kind);
  if (breaker === undefined) return true;
  return nowMs >= breaker.nextProbeMs && nowMs >= probedUntilMs(state, breaker);
}

/** Marks a fresh grant as the probe of its family's breaker. */
export function markProbe(state: SemaphoreState, kind: number, grant: number): void {
  const breaker = breakerOf(state, kind);
  if (breaker) breaker.probe = grant;
}

/** When a waiting kind may be probed next, or undefined. */
export function nextProbeMs(state: SemaphoreState, kind: number): number | undefined {
  const breaker = breakerOf(state, kind);
  if (breaker === undefined) return undefined;
  const untilMs = Math.max(breaker.nextProbeMs, probedUntilMs(state, breaker));
  return Number.isFinite(untilMs) ? untilMs : undefined;
}

function breakerOf(state: SemaphoreState, kind: number): OpenBreaker | undefined {
  const family = familyOf(kind);
  return state.breakers.find((b) => b.family === family);
}

/**
 * Until when a probe keeps the next one back. One whose grant came back without a word was no proof either way, nor is
 * one whose answer was told to nobody: what it said may have been lost on its way here.
 */
function probedUntilMs(state: SemaphoreState, { probe }: OpenBreaker): number {
  const holder = probe === undefined ? undefined : state.holders.find(({ grant }) => grant === probe);
  if (holder === undefined) return 0;
  if (state.probesEnd !== true) return Number.POSITIVE_INFINITY;
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
