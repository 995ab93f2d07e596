import type { Holder, SemaphoreState, Share, Waiting } from '../src/contract/semaphore.js';
import type { SlotTerms } from '../src/domain/batch.js';
import { effectiveCap, isSlotKind, slotsInUse } from './cap.js';
import { expectedRender } from './render-times.js';

/**
 * How batches share the slots: by priority, and within one by the slot time that each had for its weight. A grant is
 * charged with what such a job usually takes, and corrected once the slot is back. Pure.
 */

/** A job's slot time before any of its kind was seen, ms of service time. */
const USUAL_MS = 60_000;
/** Batches that are remembered though they neither run nor wait. */
const IDLE_MAX = 50;

/** A batch's next job that may go. */
export interface Candidate {
  next: Waiting;
  share: Share;
}

/** Batches that ask and whose terms are not known yet: nothing of them is granted. */
export function unknownBatches({ shares, waiting }: SemaphoreState): string[] {
  if (shares === undefined) return [];
  return [...new Set(waiting.map(({ job }) => job.batch))].filter((batch) => shares[batch] === undefined);
}

/** Terms as the home has them, of batches that are new here or were ordered otherwise. */
export function takeTerms(state: SemaphoreState, found: readonly ({ batch: string } & SlotTerms)[]): void {
  const { shares = {} } = state;
  for (const { batch, ...terms } of found) {
    shares[batch] = { ...terms, usedMs: shares[batch]?.usedMs ?? leastUsed(state, batch) };
  }
  const idle = Object.keys(shares).filter((batch) => !isActive(state, batch));
  for (const batch of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) delete shares[batch];
}

/** A batch that comes back has no claim to the time in which it asked for nothing. */
export function noteAsking(state: SemaphoreState, batch: string): void {
  const share = state.shares?.[batch];
  if (share !== undefined && !isActive(state, batch)) share.usedMs = Math.max(share.usedMs, leastUsed(state, batch));
}

/** Charges a grant before anything is known of how long it lasts. */
export function charge(state: SemaphoreState, holder: Holder): void {
  const share = state.shares?.[holder.job.batch];
  if (share === undefined || !isSlotKind(holder.kind)) return;
  holder.chargedMs = expectedRender(state, holder.kind)?.p50 ?? USUAL_MS / state.timeScale;
  share.usedMs += holder.chargedMs / share.weight;
}

/** A slot is back: what it really took counts. */
export function chargeBack(state: SemaphoreState, holder: Holder, nowMs: number): void {
  const share = state.shares?.[holder.job.batch];
  if (share === undefined || !isSlotKind(holder.kind)) return;
  share.usedMs += (Math.max(0, nowMs - holder.sinceMs) - (holder.chargedMs ?? 0)) / share.weight;
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
    ({ next, share }) => !isSlotKind(next.kind) || free > leftToLower(state, candidates, share.priority, nowMs),
  )?.next;
}

/** Slots that jobs of a priority leave free for those of each lower one: a tenth, at least one, together half at most. */
function leftToLower(state: SemaphoreState, candidates: readonly Candidate[], priority: number, nowMs: number): number {
  const cap = effectiveCap(state, nowMs);
  const tenth = Math.max(1, Math.floor(cap / 10));
  const lower = candidates.filter(({ next, share }) => share.priority < priority && isSlotKind(next.kind));
  const missing = [...new Set(lower.map(({ share }) => share.priority))].map((one) =>
    Math.max(0, tenth - slotsOf(state, one)),
  );
  return Math.min(
    missing.reduce((sum, slots) => sum + slots, 0),
    Math.floor(cap / 2),
  );
}

function slotsOf({ holders, shares }: SemaphoreState, priority: number): number {
  return holders.filter(({ job, kind }) => isSlotKind(kind) && shares?.[job.batch]?.priority === priority).length;
}

function leastUsed(state: SemaphoreState, except: string): number {
  const others = Object.entries(state.shares ?? {}).filter(([one]) => one !== except && isActive(state, one));
  return others.length === 0 ? 0 : Math.min(...others.map(([, { usedMs }]) => usedMs));
}

function isActive({ holders, waiting }: SemaphoreState, batch: string): boolean {
  return holders.some(({ job }) => job.batch === batch) || waiting.some(({ job }) => job.batch === batch);
}
