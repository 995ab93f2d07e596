import type { AccountSettings } from '../contract/settings.js';
import { type Attempt, intentOf } from '../domain/attempt.js';
import { KINDS, type Kind, providerOf } from '../domain/kind.js';
import { adapterFor } from '../vendors/index.js';
import type { Dependencies } from './dependencies.js';

/** How long things last at the service, by the documents and the account's settings; all of it scaled, ms. */

/** A submit of a job is answered within this, or never. */
const ASYNC_HEADERS_MS = 300_000;
/** The way of an answer takes its own time in a rehearsal as well. */
const SYNC_HEADERS_MIN_MS = 10_000;

type Waits = Pick<AccountSettings, 'waits' | 'timeScale'>;

/** A synchronous call has ended at the service after this. */
export function syncMaxMs({ waits, timeScale }: Waits, kind: Kind): number {
  const adapter = adapterFor(kind);
  const documentedMs = adapter.flow === 'sync' ? adapter.callMaxMs : null;
  return (documentedMs ?? waits.syncMaxMs) / timeScale;
}

/**
 * How long a submit waits for the headers of its answer. The output of a synchronous call exists in that answer alone:
 * a limit below the call's own end would pay and throw away.
 */
export function headersLimitMs(settings: Waits, kind: Kind): number {
  if (adapterFor(kind).flow === 'async') return ASYNC_HEADERS_MS;
  return Math.max(SYNC_HEADERS_MIN_MS, syncMaxMs(settings, kind));
}

/** The longest render of a kind's provider, unscaled ms. */
export function renderMaxMs({ settings }: Dependencies, kindNumber: number): number {
  const kind = KINDS[kindNumber];
  const { renderMaxMs: longest } = settings.waits;
  return (kind && longest[providerOf(kind)]) ?? longest.default ?? 3_600_000;
}

/**
 * Until when the job of a lost answer may still run at the service. A synchronous call may begin late, Θ after it was
 * sent or given up.
 */
export function slotUntilMs(deps: Dependencies, attempt: Attempt, kindNumber: number, flow: 'sync' | 'async'): number {
  const { settings } = deps;
  const claimedAtMs = intentOf(attempt)?.atMs ?? deps.now();
  const kind = KINDS[kindNumber];
  if (flow === 'async' || kind === undefined) {
    return claimedAtMs + renderMaxMs(deps, kindNumber) / settings.timeScale;
  }
  const lost = attempt.states.find((s) => s.state === 'unknown' || s.state === 'created_lost');
  const sinceMs = Math.max(claimedAtMs, lost?.atMs ?? claimedAtMs);
  return sinceMs + settings.waits.thetaMs / settings.timeScale + syncMaxMs(settings, kind);
}
