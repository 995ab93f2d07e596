import type { Pace, SemaphoreState } from '../src/contract/semaphore.js';
import type { BatchSlots, Curb, SemaphoreView } from '../src/contract/semaphore-view.js';
import { REFUSALS_MAX } from '../src/domain/turned-away.js';
import { effectiveCap } from './cap.js';
import { keepsBack } from './permits.js';

const WONDER_MS = 10_000;

/** What a watcher sees of the semaphore, with every reason why fewer jobs are granted than the plan allows. Pure. */
export function viewOf(state: SemaphoreState, ready: boolean, nowMs: number): SemaphoreView {
  const { planCap, holders, waiting, pauses } = state;
  return {
    planCap,
    effectiveCap: effectiveCap(state, nowMs),
    holders,
    waiting: waiting.length,
    pauses,
    curbs: curbsOf(state, nowMs),
    ready,
    batches: batchesOf(state),
  };
}

function batchesOf({ shares, holders, waiting }: SemaphoreState): BatchSlots[] {
  return Object.entries(shares).flatMap(([batch, { concurrency, weight, priority }]) => {
    const [held, waits] = [holders, waiting].map((jobs) => jobs.filter(({ job }) => job.batch === batch).length);
    return held || waits ? [{ batch, concurrency, weight, priority, held: held ?? 0, waiting: waits ?? 0 }] : [];
  });
}

function curbsOf(state: SemaphoreState, nowMs: number): Curb[] {
  const { quiets, breakers, paces, foreign, unread } = state;
  const silent = quiets.filter((q) => q.fromMs <= nowMs && nowMs < q.untilMs);
  const curbs: Curb[] = [];
  if (silent.length > 0) curbs.push({ curb: 'quiet', untilMs: Math.max(...silent.map((q) => q.untilMs)) });
  for (const { family, cause, sinceMs, nextProbeMs } of breakers) {
    curbs.push({ curb: 'breaker', family, cause, sinceMs, nextProbeMs });
  }
  for (const pace of paces) {
    const { cause, route, sinceMs, untilMs } = pace;
    // The account's pause says that the network is away.
    const isTold = pace.refusals >= REFUSALS_MAX || isLongWait(pace, nowMs);
    if (isTold && cause !== 'network' && keepsBack(state, pace))
      curbs.push({ curb: 'paced', cause, route, sinceMs, untilMs });
  }
  for (const what of ['credits', 'discounts'] as const) {
    const sinceMs = unread[what];
    if (sinceMs !== undefined) curbs.push({ curb: 'unread', what, sinceMs });
  }
  if (foreign !== null) curbs.push({ curb: 'foreign', ...foreign });
  return curbs;
}

/** The service itself asked for a wait that a watcher would wonder about, and it lasts. */
function isLongWait({ notBeforeMs, countedMs }: Pace, nowMs: number): boolean {
  return notBeforeMs !== undefined && nowMs < notBeforeMs && notBeforeMs - countedMs > WONDER_MS;
}
