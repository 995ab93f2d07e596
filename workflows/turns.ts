import type { Holder, Release, SemaphoreState, Waiting } from '../src/contract/semaphore.js';
import type { Share, SlotTerms } from '../src/domain/batch.js';
import { providerOf } from '../src/domain/kind.js';
import { isAsync, takesSlot } from '../src/kinds/facts.js';
import { effectiveCap, expectedRender, hasRoom, nextClimbMs, slotsInUse } from './cap.js';
import { allowsKind, allowsPace, nextPaceMs, nextProbeMs } from './curbs.js';

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
  const nextOf = (batch: string) => {
    const mine = state.waiting.filter((w) => w.job.batch === batch);
    const goes = (w: Waiting) => mayGo(state, w, nowMs);
    // A chain is carried through before another one begins.
    return mine.find((w) => w.isFed && goes(w)) ?? mine.find(goes);
  };
  const { shares } = state;
  const candidates = batches.flatMap((batch): Candidate[] => {
    const share = shares[batch];
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

/**
 * How batches share the slots: by priority, and within one by the slot time that each had for its weight. A grant is
 * charged with what such a job usually takes, and corrected once the slot is back. Pure.
 */

/** A job's slot time before any of its kind was seen, ms of service time. */
const USUAL_MS = 60_000;
/** The usual slot time of a batch follows about so many of its latest jobs. */
const USUAL_OF = 4;
/** Batches that are remembered though they neither run nor wait. */
const IDLE_MAX = 50;

/** A batch's next job that may go. */
export interface Candidate {
  next: Waiting;
  share: Share;
}

/** Batches that ask and whose terms are not known yet: nothing of them is granted. */
export function unknownBatches({ shares, waiting }: SemaphoreState): string[] {
  return [...new Set(waiting.map(({ job }) => job.batch))].filter((batch) => shares[batch] === undefined);
}

/** Terms as the home has them, of batches that are new here or were ordered otherwise. */
export function takeTerms(
  state: SemaphoreState,
  found: readonly ({ batch: string } & SlotTerms)[],
  nowMs: number,
): void {
  const { shares } = state;
  for (const { batch, ...terms } of found) {
    shares[batch] = { usedMs: leastUsed(state, batch, terms, nowMs), ...shares[batch], ...terms };
  }
  const idle = Object.keys(shares).filter((batch) => !isActive(state, batch));
  for (const batch of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) delete shares[batch];
}

/** A batch that comes back has no claim to the time in which it asked for nothing, or might not have more. */
export function noteAsking(state: SemaphoreState, batch: string, nowMs: number): void {
  const share = state.shares[batch];
  if (share === undefined) return;
  if (isActive(state, batch) && !(state.countsHeld && isHeldBack(state, batch, share))) return;
  share.usedMs = Math.max(share.usedMs, leastUsed(state, batch, share, nowMs));
}

/** Charges a grant before anything is known of how long it lasts. */
export function charge(state: SemaphoreState, holder: Holder): void {
  const share = state.shares[holder.job.batch];
  if (share === undefined || !takesSlot(holder.kind)) return;
  const expectedMs = expectedRender(state, holder)?.p50;
  const isUsual = expectedMs === undefined && state.countsHeld && share.usual?.kind === holder.kind;
  holder.chargedMs = (isUsual ? share.usual?.ms : undefined) ?? (expectedMs ?? USUAL_MS) / state.timeScale;
  share.usedMs += holder.chargedMs / share.weight;
}

/** A slot is back: what it really took counts. What a refused job took tells nothing of the next. */
export function chargeBack(state: SemaphoreState, holder: Holder, how: Release, nowMs: number): void {
  const { kind, sinceMs } = holder;
  const share = state.shares[holder.job.batch];
  if (share === undefined || !takesSlot(kind)) return;
  share.usedMs += uncharged(holder, nowMs) / share.weight;
  if (!how.done && (how.ranMs === undefined || how.renderMs === undefined)) return;
  const heldMs = Math.max(0, nowMs - sinceMs);
  const beforeMs = share.usual?.kind === kind ? share.usual.ms : heldMs;
  share.usual = { kind, ms: beforeMs + (heldMs - beforeMs) / USUAL_OF };
}

/** What a holder had until now beyond its charge, ms; below zero where it was charged with more. */
function uncharged({ sinceMs, chargedMs = 0 }: Holder, nowMs: number): number {
  return Math.max(0, nowMs - sinceMs) - chargedMs;
}

/** Whether the batch has as many jobs as it may have. */
export function isFull(state: SemaphoreState, batch: string, { concurrency }: SlotTerms): boolean {
  return concurrency !== null && state.holders.filter(({ job }) => job.batch === batch).length >= concurrency;
}

/** Of jobs that may all go, the one whose turn it is. */
export function takeTurn(state: SemaphoreState, candidates: readonly Candidate[], nowMs: number): Waiting | undefined {
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

function slotsOf({ holders, shares }: SemaphoreState, priority: number): number {
  return holders.filter(({ job, kind }) => takesSlot(kind) && shares[job.batch]?.priority === priority).length;
}

/**
 * Where a batch begins that comes, or comes back: as far as the least of those that it shares the slots with. What they
 * are charged with ahead is no time that they had, and nobody begins behind where their turn stands.
 */
function leastUsed(state: SemaphoreState, batch: string, { priority }: SlotTerms, nowMs: number): number {
  const others = Object.entries(state.shares).filter(([one]) => one !== batch && isActive(state, one));
  const rivals = others.filter(
    ([one, share]) => share.priority === priority && wantsSlot(state, one) && !isHeldBack(state, one, share),
  );
  const hadMs = ([one, { usedMs, weight }]: [string, Share]): number => {
    if (!state.countsHeld) return usedMs;
    const holders = state.holders.filter(({ job, kind }) => job.batch === one && takesSlot(kind));
    return usedMs + holders.reduce((sum, holder) => sum + Math.min(0, uncharged(holder, nowMs)), 0) / weight;
  };
  const asked = (state.countsHeld && rivals.length > 0 ? rivals : others).map(hadMs);
  return asked.length === 0 ? 0 : Math.min(...asked);
}

/** Paused, or with as many jobs as it may have: what others have meanwhile it is not owed. */
function isHeldBack(state: SemaphoreState, batch: string, terms: SlotTerms): boolean {
  return state.pauses.some((pause) => pause.batch === batch) || isFull(state, batch, terms);
}

function wantsSlot({ holders, waiting }: SemaphoreState, batch: string): boolean {
  return [...holders, ...waiting].some(({ job, kind }) => job.batch === batch && takesSlot(kind));
}

function isActive({ holders, waiting }: SemaphoreState, batch: string): boolean {
  return holders.some(({ job }) => job.batch === batch) || waiting.some(({ job }) => job.batch === batch);
}
