import type { SemaphoreState } from '../../../src/contract/semaphore.js';
import { DEFAULT_SLOT_TERMS } from '../../../src/domain/batch.js';
import { newPermits } from '../../../workflows/permits.js';
import { takeTerms } from '../../../workflows/shares.js';

/** A semaphore that knows the terms of these batches, all alike. */
export function openPermits(cap: number, nowMs = 1_000, timeScale = 1): SemaphoreState {
  const state = newPermits(30_000, nowMs, timeScale);
  Object.assign(state, { planCap: cap, countsHeld: true });
  takeTerms(
    state,
    ['b', 'b0', 'b1', 'b2', 'big', 'small', 'one', 'two'].map((batch) => ({ batch, ...DEFAULT_SLOT_TERMS })),
    nowMs,
  );
  return state;
}
