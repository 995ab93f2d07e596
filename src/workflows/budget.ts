import type { BatchState, OpenRow } from '../contract/workflows.js';
import type { BatchLimits } from '../domain/limits.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';

/**
 * What a batch may still spend: what ended has cost, plus the most that every open row can cost, never exceeds the
 * limit (I20). A row's bound is reserved before its job starts and becomes its cost when it ended. Pure.
 */

/** Takes the limits that are given; the others stay. A batch that stopped for an old one goes on. */
export function takeLimits(state: BatchState, given: BatchLimits | undefined): void {
  if (given === undefined) return;
  const { maxCreditsNano, maxFailures } = given;
  state.limits = {
    maxCreditsNano: maxCreditsNano ?? state.limits.maxCreditsNano,
    maxFailures: maxFailures ?? state.limits.maxFailures,
  };
}

/** True when a limit is there and nobody has read yet what the batch has cost so far. */
export function mustReadSpent(state: BatchState): boolean {
  return state.limits.maxCreditsNano !== null && state.spentNano === null;
}

/** What new rows may reserve; null without a limit. An open row whose price is unknown leaves nothing. */
export function roomNano(state: BatchState): CreditsNano | null {
  const { maxCreditsNano } = state.limits;
  if (maxCreditsNano === null) return null;
  let room = maxCreditsNano - (state.spentNano ?? maxCreditsNano);
  for (const { upToNano } of state.open) room -= upToNano ?? maxCreditsNano;
  return Math.max(0, room);
}

/** The reservation becomes the cost; where that is not known, the whole reservation stays. */
export function bookFinished(state: BatchState, row: OpenRow, creditsNano: CreditsNano | null): void {
  if (state.spentNano !== null && !row.isJoined) state.spentNano += creditsNano ?? row.upToNano ?? 0;
}

/** Counts a row that ended without its output, and stops the batch at one too many. */
export function countFailure(state: BatchState, status: Status): void {
  // Its price rose above what was reserved for it.
  if (status === 'not_started') state.stopped ??= 'budget_reached';
  if (status !== 'failed' && status !== 'lost_paid' && status !== 'review') return;
  state.failures += 1;
  const limit = state.limits.maxFailures;
  if (limit === null || state.stopped !== null) return;
  const isTooMany = 'rows' in limit ? state.failures > limit.rows : state.failures * 100 > limit.percent * state.rows;
  const isLeft = state.cursor !== null || state.open.length > 0;
  if (isTooMany && isLeft) state.stopped = 'too_many_failures';
}
