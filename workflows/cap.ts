import type { Holder, JobKey, Release, SemaphoreState } from '../src/contract/semaphore.js';
import type { Kind } from '../src/domain/kind.js';
import { endsWith, expectedTimes, type RenderTimes } from '../src/domain/render-times.js';
import { OPEN_WITHOUT_SLOT_MAX, pollBaseMs, takesSlot } from '../src/kinds/facts.js';

/** How many jobs may run now: the plan's, lowered while someone else seems to use the account. Pure. */

/** A refusal this soon after our own release is the service's bookkeeping, not a stranger, ms. */
const OWN_RELEASE_GRACE_MS = 2_000;

export function effectiveCap(state: SemaphoreState, nowMs: number): number {
  if (state.foreign === null) return state.planCap;
  const climbed = state.foreign.cap + Math.floor((nowMs - state.foreign.sinceMs) / state.climbMs);
  return Math.min(state.planCap, climbed);
}

/** Jobs that hold one of the plan's slots. */
export function slotsInUse(state: SemaphoreState): number {
  return state.holders.filter((h) => takesSlot(h.kind)).length;
}

/** Whether one more job of a kind may be open; kinds without a slot have a small room of their own. */
export function hasRoom(state: SemaphoreState, kind: Kind, nowMs: number): boolean {
  const used = slotsInUse(state);
  if (takesSlot(kind)) return used < effectiveCap(state, nowMs);
  return state.holders.length - used < OPEN_WITHOUT_SLOT_MAX;
}

/**
 * The service refused a job for its own count although a slot was free by ours: the cap becomes what we hold. The
 * first refusal right after our own release is the service's bookkeeping; a second one is not.
 */
export function lowerCap(state: SemaphoreState, nowMs: number): void {
  const excused = state.excusedAtMs !== null && nowMs - state.excusedAtMs < state.climbMs;
  if (state.foreign === null && !excused && nowMs - state.lastReleaseMs < OWN_RELEASE_GRACE_MS) {
    state.excusedAtMs = nowMs;
    return;
  }
  // The refused job itself is still a holder here and is not running at the service.
  state.foreign = { cap: Math.max(0, slotsInUse(state) - 1), sinceMs: nowMs };
}

/** When the cap climbs next, or undefined at the plan's. */
export function nextClimbMs(state: SemaphoreState, nowMs: number): number | undefined {
  if (state.foreign === null) return undefined;
  const steps = Math.floor((nowMs - state.foreign.sinceMs) / state.climbMs) + 1;
  return state.foreign.sinceMs + steps * state.climbMs;
}

/** Whether two keys name the same job. */
export function sameJob(a: JobKey, b: JobKey): boolean {
  return a.batch === b.batch && a.id === b.id;
}

// ---- when renders of a kind ended lately, by which the next polls are planned ----

export function rememberRender(state: SemaphoreState, kind: Kind, { ranMs, renderMs }: Release): void {
  if (ranMs === undefined || renderMs === undefined) return;
  state.renders ??= {};
  state.renders[kind] = endsWith(state.renders[kind] ?? [], [ranMs, renderMs]);
}

/** What is to be expected of the job of a grant by others of its kind; null with too few earlier ones. */
export function expectedRender(
  state: SemaphoreState,
  { kind, grant }: Pick<Holder, 'kind' | 'grant'>,
): RenderTimes | null {
  return expectedTimes(state.renders?.[kind] ?? [], pollBaseMs(kind), grant);
}
