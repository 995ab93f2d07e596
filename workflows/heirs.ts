import type { Holder, JobKey, NamedHeirs, Release, SemaphoreState, Waiting } from '../src/contract/semaphore.js';
import { takesSlot } from '../src/kinds/facts.js';
import { effectiveCap, expectedRender, sameJob, slotsInUse } from './cap.js';
import { hold, release, withdraw } from './permits.js';
import { shareOf } from './shares.js';
import { nextWaiting } from './turns.js';

/**
 * Who is next, said before a slot is free: the worker hands it on within the process as soon as it is told that the slot
 * is back, and the semaphore hears of both at once. Pure.
 */

/** Bounds what is looked ahead. */
const HEIRS_MAX = 40;

/** Whom to name now, in turn; undefined while those that were named last are still right, and enough. */
export function nameHeirs(state: SemaphoreState, nowMs: number): NamedHeirs | undefined {
  const most = Math.min(HEIRS_MAX, 2 * state.planCap);
  const waits = new Map(state.waiting.map((waiting) => [waiting.grant, waiting]));
  const named = (state.heirs ?? []).flatMap((grant) => waits.get(grant) ?? []);
  // To look at the first is enough: whatever gives another job more right than these have makes that the next one.
  const isFirst = named[0] === comingNext(state, 1, nowMs)[0];
  const areRight = state.heirs !== undefined && isFirst && !named.some(({ job }) => isPaused(state, job));
  if (areRight && named.length >= most / 2) return undefined;
  const next = comingNext(state, most, nowMs);
  if (areRight && named.length === next.length) return undefined;
  for (const waiting of next) waiting.grant ??= state.nextGrant++;
  const heirs = next.map(({ job, kind, grant = 0 }) => ({
    job,
    grant,
    expected: expectedRender(state, { kind, grant }),
  }));
  state.heirs = heirs.map(({ grant }) => grant);
  return { heirs, held: state.holders.filter(isHandedOn).map(({ grant }) => grant) };
}

/** What is kept for a lost answer nobody gives back, and a job without a slot has none. */
function isHandedOn({ kind, phase }: Holder): boolean {
  return takesSlot(kind) && phase !== 'held';
}

/** Takes a slot back, and gives it to the heir that has it by now, whatever has changed here since that was named. */
export function takeBack(state: SemaphoreState, message: Release, nowMs: number): void {
  release(state, message, nowMs);
  const { heir } = message;
  const waiting = heir && state.waiting.find(({ job }) => sameJob(job, heir.job));
  // One that does not wait has this grant by another way, or left the queue before it could be told.
  if (heir === undefined || waiting === undefined) return;
  withdraw(state, heir.job);
  // A task that the server gave up may have named it with a number that another job has now.
  for (const other of state.waiting) if (other.grant === heir.grant) delete other.grant;
  hold(state, { ...waiting, grant: heir.grant }, 'granted', nowMs);
}

function isPaused({ pauses }: SemaphoreState, { batch }: JobKey): boolean {
  return pauses.some((pause) => pause.batch === batch);
}

/** Those that would get the next slots, one slot after the other. */
function comingNext(state: SemaphoreState, most: number, nowMs: number): Waiting[] {
  if (!isCalm(state, nowMs) || hasRanks(state)) return [];
  const shares = Object.fromEntries(Object.entries(state.shares).map(([batch, share]) => [batch, { ...share }]));
  const ahead = { ...state, shares, holders: [...state.holders], waiting: [...state.waiting] };
  const found: Waiting[] = [];
  while (found.length < most) {
    ahead.planCap += 1;
    const next = nextWaiting(ahead, nowMs);
    // What waits outside of the worker is told by the semaphore, and so is who comes after it.
    if (!next?.standsBy || !takesSlot(next.kind)) break;
    withdraw(ahead, next.job);
    hold(ahead, next, 'granted', nowMs);
    found.push(next);
  }
  return found;
}

/** What a higher priority leaves to a lower one depends on whose slot comes back: the semaphore judges it then. */
function hasRanks(state: SemaphoreState): boolean {
  return new Set(state.waiting.map(({ job }) => shareOf(state, job.batch)?.priority)).size > 1;
}

/** Nothing slows submits down, and a slot that comes back is one that may be used again. */
function isCalm(state: SemaphoreState, nowMs: number): boolean {
  const { foreign, quiets, breakers, paces, pauses } = state;
  const isSlowed = [quiets, breakers, paces].some((some) => some.length > 0) || foreign !== null;
  return (
    !isSlowed && !pauses.some(({ batch }) => batch === undefined) && slotsInUse(state) <= effectiveCap(state, nowMs)
  );
}
