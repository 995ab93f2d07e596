import { type Attempt, intentOf } from '../domain/attempt.js';
import { KINDS, providerOf } from '../domain/kind.js';
import { syncMaxMs } from '../domain/longest-render.js';
import type { Dependencies } from './dependencies.js';

/** How long things last at the service, by the documents and the account's settings. */

/** No synchronous call runs longer, of whatever kind. */
export const SYNC_MAX_MS = syncMaxMs('svc/image');

/** The longest render of a kind's provider, unscaled ms. */
export function renderMaxMs({ settings }: Dependencies, kindNumber: number): number {
  const kind = KINDS[kindNumber];
  const { renderMaxMs: longest } = settings.waits;
  return (kind && longest[providerOf(kind)]) ?? longest.default ?? 3_600_000;
}

/** Until when the job of a lost answer may still run at the service. */
export function slotUntilMs(deps: Dependencies, attempt: Attempt, kindNumber: number, flow: 'sync' | 'async'): number {
  const claimedAtMs = intentOf(attempt)?.atMs ?? deps.now();
  const longest = flow === 'sync' ? SYNC_MAX_MS : renderMaxMs(deps, kindNumber);
  return claimedAtMs + longest / deps.settings.timeScale;
}
