import type { Holder, Release, SemaphoreState } from '../src/contract/semaphore.js';
import type { Share, SlotTerms } from '../src/domain/batch.js';
import { takesSlot } from '../src/kinds/facts.js';
import { expectedRender } from './cap.js';

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
/** As an assignment makes it, for every name. */
const OWN = { writable: true, enumerable: true, configurable: true };

/** By any name that a batch may have: `constructor` is one. */
export function shareOf({ shares }: Pick<SemaphoreState, 'shares'>, batch: string): Share | undefined {
  return Object.hasOwn(shares, batch) ? shares[batch] : undefined;
}

/** Batches that ask and whose terms are not known yet: nothing of them is granted. */
export function unknownBatches(state: SemaphoreState): string[] {
  return [...new Set(state.waiting.map(({ job }) => job.batch))].filter((batch) => !shareOf(state, batch));
}

/** Terms as the home has them, of batches that are new here or were ordered otherwise. */
export function takeTerms(
  state: SemaphoreState,
  found: readonly ({ batch: string } & SlotTerms)[],
  nowMs: number,
): void {
  const { shares } = state;
  delete state.heirs;
  for (const { batch, ...terms } of found) {
    const known = shareOf(state, batch);
    const fresh = known === undefined && { usedMs: leastUsed(state, batch, terms, nowMs), cameMs: nowMs };
    const share: Share = { usedMs: 0, ...known, ...fresh, ...terms };
    // What it had before or behind others it is not held to among those that it shares the slots with from now on.
    const isMoved = known !== undefined && known.priority !== terms.priority;
    if (isMoved && state.forgives) share.usedMs = evenUsed(state, batch, share, nowMs);
    Object.defineProperty(shares, batch, { value: share, ...OWN });
  }
  const idle = Object.keys(shares).filter((batch) => !isActive(state, batch));
  for (const batch of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) delete shares[batch];
}

/**
 * A batch that comes back has no claim to the time in which it asked for nothing, or might not have more. Nor has who
 * came meanwhile a claim to what it had before: yesterday's batch alone had hours of slot time. To those that were there
 * all along it owes its time as before: one whose rows feed each other comes back after each of them.
 */
export function noteAsking(state: SemaphoreState, batch: string, nowMs: number): void {
  const share = shareOf(state, batch);
  if (share === undefined) return;
  const isBack = !isActive(state, batch);
  if (!isBack && !(state.countsHeld && isHeldBack(state, batch, share))) return;
  const { leftMs = 0 } = share;
  const isForgiven =
    isBack && state.forgives && rivalsOf(state, batch, share).some(({ cameMs = 0 }) => cameMs > leftMs);
  if (isBack) share.cameMs = nowMs;
  share.usedMs = isForgiven
    ? evenUsed(state, batch, share, nowMs)
    : Math.max(share.usedMs, leastUsed(state, batch, share, nowMs));
}

/** Charges a grant before anything is known of how long it lasts. */
export function charge(state: SemaphoreState, holder: Holder): void {
  const share = shareOf(state, holder.job.batch);
  if (share === undefined || !takesSlot(holder.kind)) return;
  const expectedMs = expectedRender(state, holder)?.p50;
  const usual = state.countsHeld && share.usual?.kind === holder.kind ? share.usual : undefined;
  const unseenMs = usual?.ms ?? USUAL_MS / state.timeScale;
  holder.chargedMs = expectedMs === undefined ? unseenMs : expectedMs / state.timeScale;
  share.usedMs += holder.chargedMs / share.weight;
}

/** A slot is back: what it really took counts. What a refused job took tells nothing of the next. */
export function chargeBack(state: SemaphoreState, holder: Holder, how: Release, nowMs: number): void {
  const { kind, sinceMs } = holder;
  const share = shareOf(state, holder.job.batch);
  if (share === undefined || !takesSlot(kind)) return;
  share.usedMs += uncharged(holder, nowMs) / share.weight;
  share.leftMs = nowMs;
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

/**
 * Where a batch begins that comes, or comes back: as far as the least of those that it shares the slots with. What they
 * are charged with ahead is no time that they had, and nobody begins behind where their turn stands.
 */
function leastUsed(state: SemaphoreState, batch: string, { priority }: SlotTerms, nowMs: number): number {
  const others = Object.entries(state.shares).filter(([one]) => one !== batch && isActive(state, one));
  // As an earlier build did it, whose run goes on.
  if (!state.countsHeld) return least(others.map(([, { usedMs }]) => usedMs));
  const rivals = others.filter(
    ([one, share]) => share.priority === priority && wantsSlot(state, one) && !isHeldBack(state, one, share),
  );
  const asked = rivals.length > 0 ? rivals : others;
  return least(asked.map(([one, share]) => hadMs(state, one, share, nowMs)));
}

/** What a batch is taken to have had: no less than the least of those that share the slots with it, no more than the most. */
function evenUsed(state: SemaphoreState, batch: string, share: Share, nowMs: number): number {
  const rivals = rivalsOf(state, batch, share);
  const most = rivals.length === 0 ? share.usedMs : Math.max(...rivals.map(({ usedMs }) => usedMs));
  return Math.max(Math.min(share.usedMs, most), leastUsed(state, batch, share, nowMs));
}

function rivalsOf(state: SemaphoreState, batch: string, { priority }: SlotTerms): Share[] {
  const found = Object.entries(state.shares).filter(
    ([one, share]) => one !== batch && share.priority === priority && isActive(state, one),
  );
  return found.map(([, share]) => share);
}

/** The slot time of a batch without the rest of what its jobs are charged with ahead. */
function hadMs({ holders }: SemaphoreState, batch: string, { usedMs, weight }: Share, nowMs: number): number {
  const own = holders.filter(({ job, kind }) => job.batch === batch && takesSlot(kind));
  return usedMs + own.reduce((sum, holder) => sum + Math.min(0, uncharged(holder, nowMs)), 0) / weight;
}

function least(times: readonly number[]): number {
  return times.length === 0 ? 0 : Math.min(...times);
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
