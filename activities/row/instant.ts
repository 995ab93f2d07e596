import { FRESH_MS } from '../../src/books/waits.js';
import type { Dependencies } from '../dependencies.js';

/** An instant by the wall's clock and by the one that never jumps. */
export interface Instant {
  wallMs: number;
  monotonicMs: number;
}

export function instant({ now, monotonic }: Pick<Dependencies, 'now' | 'monotonic'>): Instant {
  return { wallMs: now(), monotonicMs: monotonic() };
}

/** Throws where a claim of then is too old to be sent now; a wall clock that was set back proves nothing about its age. */
export function refuseOld(deps: Pick<Dependencies, 'now' | 'monotonic'>, claimed: Instant): void {
  const wallMs = deps.now() - claimed.wallMs;
  const ageMs = Math.max(wallMs, deps.monotonic() - claimed.monotonicMs);
  if (ageMs > FRESH_MS || wallMs < -FRESH_MS) throw new Error('the claim is too old to be sent');
}
