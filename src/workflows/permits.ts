import type { Holder, JobKey, PauseReason, RecoveredHolder, Release, SemaphoreState } from '../contract/semaphore.js';
import type { RenderTimes } from '../contract/workflows.js';

/** The semaphore's whole state and every change of it: pure, so that it is tested without a server. */

/** How many render times are remembered per kind. */
const RENDER_TIMES_MAX = 40;
/** A refusal this soon after our own release is the service's bookkeeping, not a stranger, ms. */
const OWN_RELEASE_GRACE_MS = 2_000;

export interface Grant {
  job: JobKey;
  grant: number;
  kind: number;
}

export function newPermits(climbMs: number, nowMs: number): SemaphoreState {
  return {
    climbMs,
    planCap: 0,
    foreign: null,
    // Grant numbers never repeat, even after the workflow was ended and started anew.
    nextGrant: nowMs,
    holders: [],
    waiting: [],
    lastBatch: '',
    lastReleaseMs: 0,
    pauses: [],
    renderTimesMs: {},
  };
}

/** How many jobs may run now: the plan's, lowered while someone else seems to use the account. */
export function effectiveCap(state: SemaphoreState, nowMs: number): number {
  if (state.foreign === null) return state.planCap;
  const climbed = state.foreign.cap + Math.floor((nowMs - state.foreign.sinceMs) / state.climbMs);
  return Math.min(state.planCap, climbed);
}

/**
 * A job asks for a slot. One that holds a grant is told it again; one whose attempt is already at the service gets a
 * grant at once, above the cap if need be: its job runs there whether we like it or not.
 */
export function acquire(
  state: SemaphoreState,
  ask: { job: JobKey; kind: number; holds: boolean },
  nowMs: number,
): Grant | undefined {
  const holder = state.holders.find((h) => sameJob(h.job, ask.job));
  if (holder) {
    delete holder.releaseAtMs;
    return { job: holder.job, grant: holder.grant, kind: holder.kind };
  }
  if (ask.holds) {
    withdraw(state, ask.job);
    return hold(state, ask.job, ask.kind, 'submitted', nowMs);
  }
  if (!state.waiting.some((w) => sameJob(w.job, ask.job))) {
    state.waiting.push({ job: ask.job, kind: ask.kind, sinceMs: nowMs });
  }
  return undefined;
}

export function withdraw(state: SemaphoreState, job: JobKey): void {
  state.waiting = state.waiting.filter((w) => !sameJob(w.job, job));
}

/** An open attempt found in the ledger at the start becomes a holder before the first grant. */
export function recover(state: SemaphoreState, found: RecoveredHolder): void {
  if (state.holders.some((h) => sameJob(h.job, found.job))) return;
  const { grant } = hold(state, found.job, found.kind, 'submitted', found.sinceMs);
  if (found.releaseAtMs !== undefined) release(state, { grant, notBeforeMs: found.releaseAtMs }, 0);
}

export function submitted(state: SemaphoreState, grant: number): void {
  const holder = state.holders.find((h) => h.grant === grant);
  if (holder && holder.phase === 'granted') holder.phase = 'submitted';
}

/** Gives a slot back, once: a grant number that is not held changes nothing. */
export function release(state: SemaphoreState, message: Release, nowMs: number): void {
  const holder = state.holders.find((h) => h.grant === message.grant);
  if (!holder) return;
  if (message.notBeforeMs !== undefined && message.notBeforeMs > nowMs) {
    holder.phase = 'held';
    holder.releaseAtMs = message.notBeforeMs;
    return;
  }
  if (message.overCap) lowerCap(state, nowMs);
  free(state, holder, nowMs);
  if (message.renderMs !== undefined) rememberRender(state, holder.kind, message.renderMs);
}

/** Frees the slots whose jobs ended without an answer and whose longest render has passed. */
export function releaseDue(state: SemaphoreState, nowMs: number): void {
  for (const holder of [...state.holders]) {
    if (holder.releaseAtMs !== undefined && holder.releaseAtMs <= nowMs) free(state, holder, nowMs);
  }
}

/** When `releaseDue` or the climbing cap has something to do next, or undefined. */
export function nextDueMs(state: SemaphoreState, nowMs: number): number | undefined {
  const times = state.holders.flatMap((h) => (h.releaseAtMs === undefined ? [] : [h.releaseAtMs]));
  if (state.foreign !== null && state.waiting.length > 0) {
    const steps = Math.floor((nowMs - state.foreign.sinceMs) / state.climbMs) + 1;
    times.push(state.foreign.sinceMs + steps * state.climbMs);
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

export function pause(state: SemaphoreState, reason: Omit<PauseReason, 'sinceMs'>, nowMs: number): void {
  if (state.pauses.some((p) => p.reason === reason.reason && p.batch === reason.batch)) return;
  state.pauses.push({ ...reason, sinceMs: nowMs });
}

export function resume(state: SemaphoreState, which: { reason: PauseReason['reason']; batch?: string }): void {
  state.pauses = state.pauses.filter((p) => !(p.reason === which.reason && p.batch === which.batch));
}

/** Takes the next waiting jobs, round-robin between batches, as far as the cap and the pauses allow. */
export function grantNext(state: SemaphoreState, nowMs: number): Grant[] {
  if (state.foreign !== null && effectiveCap(state, nowMs) >= state.planCap) state.foreign = null;
  const grants: Grant[] = [];
  while (state.holders.length < effectiveCap(state, nowMs)) {
    const next = nextWaiting(state);
    if (!next) break;
    withdraw(state, next.job);
    state.lastBatch = next.job.batch;
    grants.push(hold(state, next.job, next.kind, 'granted', nowMs));
  }
  return grants;
}

/** Percentiles of the recent render times of a kind; null with fewer than three. */
export function expectedRender(state: SemaphoreState, kind: number): RenderTimes | null {
  const times = state.renderTimesMs[String(kind)];
  if (!times || times.length < 3) return null;
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
}

export function sameJob(a: JobKey, b: JobKey): boolean {
  return a.batch === b.batch && a.id === b.id;
}

function nextWaiting(state: SemaphoreState): SemaphoreState['waiting'][number] | undefined {
  if (state.pauses.some((p) => p.batch === undefined)) return undefined;
  const open = state.waiting.filter((w) => !state.pauses.some((p) => p.batch === w.job.batch));
  const batches = [...new Set(open.map((w) => w.job.batch))].sort();
  const batch = batches.find((b) => b > state.lastBatch) ?? batches[0];
  return open.find((w) => w.job.batch === batch);
}

function hold(state: SemaphoreState, job: JobKey, kind: number, phase: Holder['phase'], sinceMs: number): Grant {
  const grant = state.nextGrant++;
  state.holders.push({ job, grant, kind, sinceMs, phase });
  return { job, grant, kind };
}

function free(state: SemaphoreState, holder: Holder, nowMs: number): void {
  state.holders = state.holders.filter((h) => h !== holder);
  state.lastReleaseMs = nowMs;
}

function lowerCap(state: SemaphoreState, nowMs: number): void {
  if (state.foreign === null && nowMs - state.lastReleaseMs < OWN_RELEASE_GRACE_MS) return;
  // The refused job itself is still a holder here and is not running at the service.
  state.foreign = { cap: Math.max(0, state.holders.length - 1), sinceMs: nowMs };
}

function rememberRender(state: SemaphoreState, kind: number, renderMs: number): void {
  const times = state.renderTimesMs[String(kind)] ?? [];
  times.push(Math.round(renderMs));
  state.renderTimesMs[String(kind)] = times.slice(-RENDER_TIMES_MAX);
}
