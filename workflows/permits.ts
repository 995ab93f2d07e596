import type { RecoveredHolder } from '../src/contract/recover.js';
import type {
  Holder,
  JobKey,
  OpenedCase,
  Pace,
  PauseReason,
  Release,
  SemaphoreState,
  Waiting,
} from '../src/contract/semaphore.js';
import { defined } from '../src/domain/defined.js';
import type { Kind } from '../src/domain/kind.js';
import { routeOf } from '../src/kinds/facts.js';
import { merge } from './account-pauses.js';
import { effectiveCap, lowerCap, rememberRender, sameJob } from './cap.js';
import { markProbe, noteAnswered, noteCase, noteThrough, noteTurnedAway } from './curbs.js';
import { charge, chargeBack, noteAsking } from './shares.js';
import { nextTurnMs, nextWaiting } from './turns.js';

/** The semaphore's whole state and every change of it: pure, so that it is tested without a server. */

export interface Grant {
  job: JobKey;
  grant: number;
  kind: Kind;
  standsBy?: true;
}

export interface Ask {
  job: JobKey;
  kind: Kind;
  holds: boolean;
  apart?: true;
  standsBy?: true;
  isFed?: true;
}

type Asked = Waiting & { n?: number };

export function newPermits(climbMs: number, nowMs: number, timeScale = 1): SemaphoreState {
  return {
    climbMs,
    timeScale,
    planCap: 0,
    foreign: null,
    // Grant numbers never repeat, even after the workflow was ended and started anew.
    nextGrant: nowMs,
    holders: [],
    waiting: [],
    lastReleaseMs: 0,
    excusedAtMs: null,
    pauses: [],
    quiets: [],
    cases: [],
    breakers: [],
    paces: [],
    shares: {},
    unread: {},
  };
}

/**
 * A job asks for a slot. One that holds a grant is told it again; one whose attempt is already at the service gets a
 * grant at once, above the cap if need be: its job runs there whether we like it or not.
 */
export function acquire(state: SemaphoreState, ask: Ask, nowMs: number): Grant | undefined {
  const own = holderOf(state, ask.job);
  // The slot of an earlier attempt that may still run is not this one's: a row that is paid again needs one more.
  const holder = own?.phase === 'held' && !ask.holds ? undefined : own;
  if (holder) {
    delete holder.releaseAtMs;
    if (ask.apart) holder.apart = true;
    return { job: holder.job, grant: holder.grant, kind: holder.kind, ...defined({ standsBy: ask.standsBy }) };
  }
  const { holds, ...asked } = ask;
  const waiting: Waiting = { ...asked, sinceMs: nowMs };
  if (holds) {
    withdraw(state, ask.job);
    return hold(state, waiting, 'submitted', nowMs);
  }
  noteAsking(state, ask.job.batch, nowMs);
  const known = state.waiting.find((w) => sameJob(w.job, ask.job));
  if (known === undefined) state.waiting.push(waiting);
  // Its submit has waited for long enough: from now on the job itself does.
  else if (!ask.standsBy) delete known.standsBy;
  return undefined;
}

export function withdraw(state: SemaphoreState, job: JobKey): void {
  state.waiting = state.waiting.filter((w) => !sameJob(w.job, job));
}

/** A job that sends nothing leaves the queue; a grant that it may not have heard of goes back with that. */
export function leave(state: SemaphoreState, job: JobKey, nowMs: number): void {
  withdraw(state, job);
  const unused = state.holders.find((h) => sameJob(h.job, job) && h.phase === 'granted');
  if (unused) release(state, { grant: unused.grant }, nowMs);
}

/** Each open attempt found in the ledger at the start becomes a holder before the first grant; a row may have several. */
export function recover(state: SemaphoreState, found: RecoveredHolder): void {
  const { job, kind, sinceMs, n, releaseAtMs } = found;
  const isSame = (h: Holder) => (h.n === undefined ? (h.phase === 'held') === (releaseAtMs !== undefined) : h.n === n);
  if (state.holders.some((h) => sameJob(h.job, job) && isSame(h))) return;
  const { grant } = hold(state, { job, kind, sinceMs, n }, 'submitted', sinceMs);
  if (releaseAtMs !== undefined) release(state, { grant, notBeforeMs: releaseAtMs }, 0);
}

/**
 * Whether a slot may be held for nobody that matters: somebody waits, or its holder was found in the ledger. Who goes on
 * with one of those gives back the number that it had in the run before.
 */
export function mayBeGone({ forgives, waiting, holders }: SemaphoreState): boolean {
  if (waiting.length > 0) return holders.length > 0;
  // A run of an earlier build does not ask so.
  return forgives === true && holders.some(({ n, releaseAtMs }) => n !== undefined && releaseAtMs === undefined);
}

/** The service accepted the job of a grant: the next of its family may be submitted. */
export function submitted(state: SemaphoreState, grant: number, nowMs: number): void {
  const holder = state.holders.find((h) => h.grant === grant);
  if (holder && holder.phase === 'granted') holder.phase = 'submitted';
  if (holder) noteAnswered(state, holder, nowMs);
  noteThrough(state, grant, nowMs);
}

/** An answer was lost. Told twice it changes nothing but the times of the quiet. */
export function caseOpened(state: SemaphoreState, opened: OpenedCase, nowMs: number): void {
  noteCase(state, opened, nowMs);
  const holder = holderOf(state, opened.job);
  if (holder) holder.lost = true;
  if (opened.quiet === undefined || !holder?.apart) return;
  liftQuiet(state, opened.job);
  state.quiets.push({ job: opened.job, ...opened.quiet });
}

/** A case ended; `created` when its handle was found, so that its job renders. */
export function caseEnded(state: SemaphoreState, { job, created }: { job: JobKey; created: boolean }, nowMs: number) {
  liftQuiet(state, job);
  const holder = holderOf(state, job);
  if (created && holder) submitted(state, holder.grant, nowMs);
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
  // A refused job never ran, so the service frees nothing for it.
  if (message.overCap) lowerCap(state, nowMs);
  else state.lastReleaseMs = nowMs;
  if (message.turnedAway) {
    if (noteTurnedAway(state, holder, message.turnedAway, nowMs)) pause(state, { reason: 'network' }, nowMs);
  } else if (isAnswer(holder, message)) noteAnswered(state, holder, nowMs);
  if (message.done || message.renderMs !== undefined) noteThrough(state, holder.grant, nowMs);
  state.holders = state.holders.filter((h) => h !== holder);
  chargeBack(state, holder, message, nowMs);
  rememberRender(state, holder.kind, message);
}

/** Frees the slots whose jobs ended without an answer and whose longest render has passed; ends quiets that are over. */
export function releaseDue(state: SemaphoreState, nowMs: number): void {
  state.quiets = state.quiets.filter((q) => q.untilMs > nowMs);
  for (const { grant, releaseAtMs } of [...state.holders]) {
    if (releaseAtMs !== undefined && releaseAtMs <= nowMs) release(state, { grant }, nowMs);
  }
}

/** A pace ends with an answer: one whose rows have left since, as by a cancel, keeps nothing back. */
export function keepsBack({ waiting, holders }: SemaphoreState, { route }: Pace): boolean {
  const asking = [...waiting, ...holders.filter(({ phase }) => phase === 'granted')];
  return asking.some(({ kind }) => route === null || routeOf(kind) === route);
}

/**
 * Drops such paces once they are over: for ever they would keep the worker from handing slots on. Only as a run hands over,
 * where no replay of one that an earlier build began goes another way by it.
 */
export function dropOver(state: SemaphoreState, nowMs: number): void {
  state.paces = state.paces.filter((pace) => nowMs < pace.untilMs || keepsBack(state, pace));
}

/** When `releaseDue` or `grantNext` can do more than now though no message comes, or undefined. */
export function nextDueMs(state: SemaphoreState, nowMs: number): number | undefined {
  const times = [...state.holders.flatMap((h) => h.releaseAtMs ?? []), ...nextTurnMs(state, nowMs)];
  return times.length === 0 ? undefined : Math.min(...times);
}

export function pause(state: SemaphoreState, reason: Omit<PauseReason, 'sinceMs'>, nowMs: number): void {
  const known = state.pauses.find((p) => p.reason === reason.reason && p.batch === reason.batch);
  if (known) merge(known, reason, nowMs);
  else state.pauses.push({ ...reason, sinceMs: nowMs });
}

export function resume(state: SemaphoreState, which: { reason: PauseReason['reason']; batch?: string }): void {
  state.pauses = state.pauses.filter((p) => !(p.reason === which.reason && p.batch === which.batch));
}

/** Takes the next waiting jobs in turn, as caps, pauses, quiets and breakers allow. */
export function grantNext(state: SemaphoreState, nowMs: number): Grant[] {
  if (state.foreign !== null && effectiveCap(state, nowMs) >= state.planCap) state.foreign = null;
  const grants: Grant[] = [];
  for (let next = nextWaiting(state, nowMs); next; next = nextWaiting(state, nowMs)) {
    withdraw(state, next.job);
    const granted = hold(state, next, 'granted', nowMs);
    markProbe(state, next.kind, granted.grant);
    grants.push(granted);
  }
  return grants;
}

/** Under the number that a job was named with as an heir, where it was. */
export function hold(state: SemaphoreState, asked: Asked, phase: Holder['phase'], sinceMs: number): Grant {
  const { job, kind, apart, n, grant = state.nextGrant++ } = asked;
  const holder: Holder = { job, grant, kind, sinceMs, phase, ...defined({ n, apart }) };
  state.holders.push(holder);
  if (phase === 'granted') charge(state, holder);
  return { job, grant, kind, ...defined({ standsBy: asked.standsBy }) };
}

/** The job's holder that is in use; else the one that is held for an attempt without an answer. */
function holderOf(state: SemaphoreState, job: JobKey): Holder | undefined {
  const own = state.holders.filter((h) => sameJob(h.job, job));
  return own.find((h) => h.phase !== 'held') ?? own.at(-1);
}

/** Whether the service answered the submit of this grant: a slot goes back for many other reasons. */
const isAnswer = ({ phase }: Holder, { answered, overCap, done }: Release): boolean =>
  phase === 'granted' && (answered || overCap || done) === true;

function liftQuiet(state: SemaphoreState, job: JobKey): void {
  state.quiets = state.quiets.filter((q) => !sameJob(q.job, job));
}
