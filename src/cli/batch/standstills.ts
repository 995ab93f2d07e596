import type { PauseReason } from '../../contract/semaphore.js';
import type { Curb, SemaphoreView } from '../../contract/semaphore-view.js';
import type { Kind, Provider } from '../../domain/kind.js';

/** What keeps grants back: a pause of the account, the quiet of a lost answer, a family's breaker, a route's pace. */
export interface Standstill {
  reason: PauseReason['reason'] | Exclude<Curb['curb'], 'foreign' | 'unread'>;
  family?: Provider;
  /** The kind whose address turns submits away; absent where the whole account is paced. */
  route?: Kind;
}

/** All of them with their start; a quiet's is not told, so that it is now. Pure. */
export function standstillsOf({ pauses, curbs }: SemaphoreView, nowMs: number): (Standstill & { sinceMs: number })[] {
  const found: (Standstill & { sinceMs: number })[] = [];
  for (const { reason, sinceMs } of pauses) if (reason !== 'user') found.push({ reason, sinceMs });
  for (const curb of curbs) {
    if (curb.curb === 'quiet') found.push({ reason: curb.curb, sinceMs: nowMs });
    if (curb.curb === 'breaker') found.push({ reason: curb.curb, family: curb.family, sinceMs: curb.sinceMs });
    if (curb.curb === 'paced') {
      const { route, sinceMs } = curb;
      found.push({ reason: curb.curb, sinceMs, ...(route === null ? {} : { route }) });
    }
  }
  return found;
}

/** The pauses that keep this batch: those of the account and its own, each with its name for the sentence. */
export function ownPauses(slots: SemaphoreView | undefined, batch: string): SemaphoreView | undefined {
  if (slots === undefined) return undefined;
  const pauses = slots.pauses.filter((pause) => pause.batch === undefined || pause.batch === batch);
  return { ...slots, pauses: pauses.map((pause) => ({ ...pause, batch })) };
}
