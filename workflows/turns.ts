import type { Holder, SemaphoreState, Waiting } from '../src/contract/semaphore.js';
import { isAsync, KINDS } from '../src/kinds/facts.js';
import { allowsKind, familyOf, nextProbeMs } from './breakers.js';
import { hasRoom, nextClimbMs } from './cap.js';
import { allowsPace, nextPaceMs } from './paces.js';
import { type Candidate, isFull, takeTurn } from './shares.js';

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
  const batches = [...new Set(state.waiting.map((w) => w.job.batch))].filter((b) => !paused.has(b)).sort();
  const nextOf = (batch: string) => state.waiting.find((w) => w.job.batch === batch && mayGo(state, w, nowMs));
  const { shares } = state;
  if (shares === undefined) return roundRobin(state, batches, nextOf);
  const candidates = batches.flatMap((batch): Candidate[] => {
    const share = shares[batch];
    const next = share === undefined || isFull(state, batch, share) ? undefined : nextOf(batch);
    return share === undefined || next === undefined ? [] : [{ next, share }];
  });
  return takeTurn(state, candidates, nowMs);
}

/** As older workers did it, whose runs are still replayed. */
function roundRobin(
  { lastBatch }: SemaphoreState,
  batches: string[],
  nextOf: (batch: string) => Waiting | undefined,
): Waiting | undefined {
  const turn = batches.findIndex((b) => b > lastBatch);
  const inTurn = turn < 0 ? batches : [...batches.slice(turn), ...batches.slice(0, turn)];
  for (const batch of inTurn) {
    const next = nextOf(batch);
    if (next) return next;
  }
  return undefined;
}

function mayGo(state: SemaphoreState, waiting: Waiting, nowMs: number): boolean {
  if (!hasRoom(state, waiting.kind, nowMs) || !allowsKind(state, waiting.kind, nowMs)) return false;
  if (!allowsPace(state, waiting, nowMs)) return false;
  if (!isAsyncKind(waiting.kind)) return true;
  const family = familyOf(waiting.kind);
  return !state.holders.some(
    (h) => (h.apart || waiting.apart) && familyOf(h.kind) === family && keepsOthersBack(h, nowMs),
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
  return phase === 'granted' && lost !== true && isAsyncKind(kind) && nowMs < sinceMs + SUBMIT_APART_MS;
}

function isAsyncKind(kindNumber: number): boolean {
  const kind = KINDS[kindNumber];
  return kind !== undefined && isAsync(kind);
}
