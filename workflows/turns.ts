import type { Holder, SemaphoreState, Waiting } from '../src/contract/semaphore.js';
import type { Share } from '../src/domain/batch.js';
import { providerOf } from '../src/domain/kind.js';
import { isAsync, takesSlot } from '../src/kinds/facts.js';
import { effectiveCap, hasRoom, nextClimbMs, slotsInUse } from './cap.js';
import { allowsKind, allowsPace, nextPaceMs, nextProbeMs } from './curbs.js';
import { isFull, shareOf } from './shares.js';

/** Whose turn it is: which waiting job may be granted now, and when that changes by itself. Pure. */

/**
 * So long may a submit that must be told apart keep others of its family back without an answer, ms. It is about an
 * HTTP answer, so that no rehearsal shortens it.
 */
const SUBMIT_APART_MS = 10_000;

/** The job to grant next, or undefined while none may go. */
export function nextWaiting(state: SemaphoreState, nowMs: number): Waiting | undefined {
  if (state.waiting.length === 0 || state.pauses.some((p) => p.batch === undefined)) return undefined;
  if (state.quiets.some((q) => q.fromMs <= nowMs && nowMs < q.untilMs)) return undefined;
  const paused = new Set(state.pauses.map((p) => p.batch));
  const queues = new Map<string, Waiting[]>();
  for (const waiting of state.waiting) {
    const { batch } = waiting.job;
    if (paused.has(batch)) continue;
    const queue = queues.get(batch);
    if (queue === undefined) queues.set(batch, [waiting]);
    else queue.push(waiting);
  }
  const nextOf = (batch: string) => {
    const mine = queues.get(batch) ?? [];
    const goes = (w: Waiting) => mayGo(state, w, nowMs);
    // A chain is carried through before another one begins.
    return mine.find((w) => w.isFed && goes(w)) ?? mine.find(goes);
  };
  const candidates = [...queues.keys()].sort().flatMap((batch): Candidate[] => {
    const share = shareOf(state, batch);
    const next = share === undefined || isFull(state, batch, share) ? undefined : nextOf(batch);
    return share === undefined || next === undefined ? [] : [{ next, share }];
  });
  return takeTurn(state, candidates, nowMs);
}

function mayGo(state: SemaphoreState, waiting: Waiting, nowMs: number): boolean {
  if (!hasRoom(state, waiting.kind, nowMs) || !allowsKind(state, waiting.kind, nowMs)) return false;
  if (!allowsPace(state, waiting, nowMs)) return false;
  if (!isAsync(waiting.kind)) return true;
  const family = providerOf(waiting.kind);
  return !state.holders.some(
    (h) => (h.apart || waiting.apart) && providerOf(h.kind) === family && keepsOthersBack(h, nowMs),
  );
}

/** When more may be granted than now though no message comes: all of it in the future, nothing while nobody waits. */
export function nextTurnMs(state: SemaphoreState, nowMs: number): number[] {
  if (state.waiting.length === 0) return [];
  const times = state.quiets.map((q) => q.untilMs);
  times.push(nextClimbMs(state, nowMs) ?? nowMs);
  for (const kind of new Set(state.waiting.map((w) => w.kind))) {
    times.push(nextProbeMs(state, kind) ?? nowMs, ...nextPaceMs(state, kind, nowMs));
  }
  if (state.waiting.some((w) => w.apart) || state.holders.some((h) => h.apart)) {
    times.push(...state.holders.flatMap((h) => (keepsOthersBack(h, nowMs) ? h.sinceMs + SUBMIT_APART_MS : [])));
  }
  return times.filter((time) => time > nowMs);
}

/** An asynchronous submit that waits for its answer; a synchronous one is open as long as it renders. */
function keepsOthersBack({ phase, lost, kind, sinceMs }: Holder, nowMs: number): boolean {
  return phase === 'granted' && lost !== true && isAsync(kind) && nowMs < sinceMs + SUBMIT_APART_MS;
}

/** A batch's next job that may go. */
interface Candidate {
  next: Waiting;
  share: Share;
}

/** Of jobs that may all go, the one whose turn it is. */
function takeTurn(state: SemaphoreState, candidates: readonly Candidate[], nowMs: number): Waiting | undefined {
  const inTurn = [...candidates].sort((a, b) => b.share.priority - a.share.priority || a.share.usedMs - b.share.usedMs);
  const free = effectiveCap(state, nowMs) - slotsInUse(state);
  return inTurn.find(
    ({ next, share }) => !takesSlot(next.kind) || free > leftToLower(state, candidates, share.priority, nowMs),
  )?.next;
}

/** Slots that jobs of a priority leave free for those of each lower one: a tenth, at least one, together half at most. */
function leftToLower(state: SemaphoreState, candidates: readonly Candidate[], priority: number, nowMs: number): number {
  const cap = effectiveCap(state, nowMs);
  const tenth = Math.max(1, Math.floor(cap / 10));
  const lower = candidates.filter(({ next, share }) => share.priority < priority && takesSlot(next.kind));
  const missing = [...new Set(lower.map(({ share }) => share.priority))].map((one) =>
    Math.max(0, tenth - slotsOf(state, one)),
  );
  return Math.min(
    missing.reduce((sum, slots) => sum + slots, 0),
    Math.floor(cap / 2),
  );
}

function slotsOf(state: SemaphoreState, priority: number): number {
  const isOf = (batch: string): boolean => shareOf(state, batch)?.priority === priority;
  return state.holders.filter(({ job, kind }) => takesSlot(kind) && isOf(job.batch)).length;
}
