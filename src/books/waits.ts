import type { AccountSettings } from '../contract/account.js';
import type { Attempt } from '../domain/attempt.js';
import { type Kind, providerOf } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import { acceptanceOf, intentOf } from '../domain/standing.js';
import { longestRenderMs } from '../kinds/expected.js';
import { answerMaxMs, BODY_MAX_MS, factsOf, isAsync } from '../kinds/facts.js';
import { hasFollowUp } from './prices/row-price.js';

/** How long things last at the service, by the documents and the account's settings, in ms as the clock runs here. */

/** The way of an answer takes its own time in a rehearsal as well. */
const SYNC_HEADERS_MIN_MS = 10_000;
/** A claim older than this sends nothing any more: its process was paused and the world has moved on. */
export const FRESH_MS = 15_000;

type Waits = Pick<AccountSettings, 'waits' | 'timeScale'>;
/** Whoever has the account's settings and its clock. */
type Timed = { settings: Waits; now(): number };

/** A synchronous call has ended at the service after this. */
export function syncMaxMs({ waits, timeScale }: Waits, kind: Kind): number {
  return answerMaxMs(kind, waits) / timeScale;
}

/**
 * How long a submit waits for the headers of its answer. The output of a synchronous call exists in that answer alone:
 * a limit below the call's own end would pay and throw away.
 */
export function headersLimitMs(settings: Waits, kind: Kind): number {
  if (isAsync(kind)) return answerMaxMs(kind, settings.waits);
  return Math.max(SYNC_HEADERS_MIN_MS, syncMaxMs(settings, kind));
}

/** A request with media on a slow line may take this long to leave. */
const LEAVING_MAX_MS = 150_000;

/**
 * How long a submit may take to leave before its answer is waited for, ms of the clock: only the service's own end leaves no
 * room for that in the wait itself.
 */
export function leavingMaxMs({ timeScale }: Waits, kind: Kind): number {
  return !isAsync(kind) && factsOf(kind).answerMaxMs !== undefined ? LEAVING_MAX_MS / timeScale : 0;
}

/** How long after its claim a submit can hold its connection without the headers of an answer, ms of the clock. */
export function callHeldMs(settings: Waits, kind: Kind): number {
  return FRESH_MS + leavingMaxMs(settings, kind) + headersLimitMs(settings, kind);
}

/** The longest render of a kind's provider, unscaled ms. */
export function renderMaxMs({ settings }: Pick<Timed, 'settings'>, kind: Kind): number {
  const { renderMaxMs: longest } = settings.waits;
  return longest[providerOf(kind)] ?? longest.default ?? 3_600_000;
}

/**
 * How long after the end of a job more can be charged for it, ms of the clock: as late as a refund, or as a render lasts; 0
 * where nothing is charged later.
 */
export function followUpMs({ settings }: Pick<Timed, 'settings'>, kind: Kind): number {
  return hasFollowUp(kind) ? Math.max(renderMaxMs({ settings }, kind), settings.waits.rhoMs) / settings.timeScale : 0;
}

/** Θ: how long after its call was over a job can still be born. */
export function bornAfterMs({ settings }: Pick<Timed, 'settings'>): number {
  return settings.waits.thetaMs / settings.timeScale;
}

/** How long a job runs at most once it is born: of its row, or of its kind alone where the row is not at hand. */
export function lastedMs({ settings }: Pick<Timed, 'settings'>, kind: Kind, row?: Row): number {
  const { timeScale, waits } = settings;
  if (row !== undefined) return longestRenderMs(row, waits).ms / timeScale;
  return (isAsync(kind) ? renderMaxMs({ settings }, kind) : answerMaxMs(kind, waits)) / timeScale;
}

/**
 * t0, from which a case's times count: the end of the call as the process that made it recorded it, or when that process
 * was seen to be gone; else the later of its discovery and the time until which a process that is cut off from us may
 * still hold the connection.
 */
export function lostAtMs(timed: Timed, kind: Kind, attempt: Attempt): number {
  const claimedAtMs = intentOf(attempt)?.atMs ?? attempt.states[0]?.atMs ?? timed.now();
  const lost = attempt.states.find((s) => s.state === 'unknown' || s.state === 'created_lost');
  if (lost === undefined) return Math.max(timed.now(), heldUntilMs(timed, kind, claimedAtMs));
  const wasSeen = lost.evidence.rule !== 'T12' || lost.evidence.callerGone === true;
  return wasSeen ? lost.atMs : Math.max(lost.atMs, heldUntilMs(timed, kind, claimedAtMs));
}

/** Until when a job that nobody waits for may still run at the service, so that its slot is in use. */
export function slotUntilMs(timed: Timed, attempt: Attempt, kind: Kind, row?: Row): number {
  const accepted = acceptanceOf(attempt);
  if (accepted !== undefined) return accepted.atMs + lastedMs(timed, kind, row);
  return lostAtMs(timed, kind, attempt) + bornAfterMs(timed) + lastedMs(timed, kind, row);
}

/**
 * When nobody can be sending a claim's request any more, or reading its answer: a claim without a later record that is
 * older is one whose process died, and its batch or its row was never gone on with.
 */
export function claimOverMs(timed: Pick<Timed, 'settings'>, kind: Kind, claimedAtMs: number): number {
  return heldUntilMs(timed, kind, claimedAtMs) + BODY_MAX_MS;
}

function heldUntilMs({ settings }: Pick<Timed, 'settings'>, kind: Kind, claimedAtMs: number): number {
  return claimedAtMs + callHeldMs(settings, kind);
}
