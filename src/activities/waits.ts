import { type Attempt, intentOf } from '../domain/attempt.js';
import { KINDS, type Kind, providerOf } from '../domain/kind.js';
import { longestRenderMs, syncMaxMs } from '../domain/longest-render.js';
import type { Row } from '../domain/row.js';
import { adapterFor } from '../vendors/index.js';
import type { Dependencies } from './dependencies.js';

/** How long things last at the service, by the documents and the account's settings, in ms as the clock runs here. */

/** The freshness guard: what was claimed longer ago is not sent any more. */
const FRESH_MS = 15_000;

/** The longest render of a kind's provider, unscaled ms. */
export function renderMaxMs({ settings }: Dependencies, kindNumber: number): number {
  const kind = KINDS[kindNumber];
  const { renderMaxMs: longest } = settings.waits;
  return (kind && longest[providerOf(kind)]) ?? longest.default ?? 3_600_000;
}

/** Θ: how long after its call was over a job can still be born. */
export function bornAfterMs({ settings }: Dependencies): number {
  return settings.waits.thetaMs / settings.timeScale;
}

/** How long a job runs at most once it is born: of its row, or of its kind alone where the row is not at hand. */
export function lastedMs(deps: Dependencies, kind: Kind, row?: Row): number {
  const { timeScale, waits } = deps.settings;
  if (row !== undefined) return longestRenderMs(row, waits).ms / timeScale;
  const isAsync = adapterFor(kind).flow === 'async';
  return (isAsync ? renderMaxMs(deps, KINDS.indexOf(kind)) : syncMaxMs(kind)) / timeScale;
}

/**
 * t0, from which a case's times count: the end of the call as the process that made it recorded it, or when that process
 * was seen to be gone; else the later of its discovery and the time until which a process that is cut off from us may
 * still hold the connection.
 */
export function lostAtMs(deps: Dependencies, kind: Kind, attempt: Attempt): number {
  const claimedAtMs = intentOf(attempt)?.atMs ?? attempt.states[0]?.atMs ?? deps.now();
  const lost = attempt.states.find((s) => s.state === 'unknown' || s.state === 'created_lost');
  if (lost === undefined) return Math.max(deps.now(), heldUntilMs(deps, kind, claimedAtMs));
  const wasSeen = lost.evidence.rule !== 'T12' || lost.evidence.callerGone === true;
  return wasSeen ? lost.atMs : Math.max(lost.atMs, heldUntilMs(deps, kind, claimedAtMs));
}

/** Until when the job of a lost answer may still run at the service, so that its slot is in use. */
export function slotUntilMs(deps: Dependencies, attempt: Attempt, kindNumber: number, row?: Row): number {
  const kind = KINDS[kindNumber];
  if (kind === undefined) return deps.now();
  return lostAtMs(deps, kind, attempt) + bornAfterMs(deps) + lastedMs(deps, kind, row);
}

function heldUntilMs({ settings }: Dependencies, kind: Kind, claimedAtMs: number): number {
  const { headersTimeoutMs, flow } = adapterFor(kind);
  return claimedAtMs + FRESH_MS + headersTimeoutMs / (flow === 'sync' ? settings.timeScale : 1);
}
