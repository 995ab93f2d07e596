import type { PaymentAsked, RowFinished } from '../src/contract/messages.js';
import type { SpentResult } from '../src/contract/pages.js';
import type { OpenRow } from '../src/contract/rows.js';
import type { BatchState } from '../src/contract/workflows.js';
import type { BatchLimits } from '../src/domain/batch.js';
import type { CreditsNano } from '../src/domain/money.js';

/**
 * What a batch may still spend: what ended has cost, plus the most that every open row can cost, never exceeds the
 * limit (I20). A row's bound is reserved before its job starts and becomes its cost when it ended. Pure.
 */

/** What nobody can bound leaves no room. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

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

/** From here on what ends is added to what is read: a row that is claimed and ends behind the read's back is not in it. */
export function beginReadSpent(state: BatchState): void {
  state.endedMeanwhileNano = 0;
}

/** A row that ended while the read came by it counts twice: the sum may be too large, never too small. */
export function takeSpent(state: BatchState, { endedNano, openNano, unbounded }: SpentResult): void {
  state.spentNano = unbounded > 0 ? UNBOUNDED : endedNano + openNano + (state.endedMeanwhileNano ?? 0);
  delete state.endedMeanwhileNano;
}

/** What new rows may reserve; null without a limit. An open row whose price is unknown leaves nothing. */
export function roomNano(state: BatchState): CreditsNano | null {
  const { maxCreditsNano } = state.limits;
  if (maxCreditsNano === null) return null;
  let room = maxCreditsNano - (state.spentNano ?? maxCreditsNano);
  for (const { upToNano, again } of state.open) room -= (upToNano ?? maxCreditsNano) + (again?.nano ?? 0);
  return Math.max(0, room);
}

/** Whether the rows that were found for some room still have it: a row may have been let be paid again meanwhile. */
export function hasRoomFor(state: BatchState, found: readonly Pick<OpenRow, 'upToNano'>[]): boolean {
  const room = roomNano(state);
  return room === null || found.reduce((sum, { upToNano }) => sum + (upToNano ?? 0), 0) <= room;
}

/** Reserves the price of paying an open row again because of attempt `n`; once, however often it is asked. */
export function reservePayment(state: BatchState, { id, n, nano }: PaymentAsked): boolean {
  const row = state.open.find((open) => open.row.id === id);
  if (row === undefined) return false;
  if (row.again?.n === n) return true;
  const room = roomNano(state);
  if (room !== null && (nano === null || nano > room)) return false;
  // Should a limit come later, a price that nobody knows leaves no room.
  if (nano === null) row.upToNano = null;
  row.again = { n, nano: (row.again?.nano ?? 0) + (nano ?? 0) };
  return true;
}

/** What the job of a row may pay for an attempt: what was reserved for it, or counted of the one that was at the service. */
export function boundOf(state: BatchState, row: OpenRow): { upToNano?: CreditsNano } {
  const most = row.isJoined && row.countedNano === undefined ? row.atServiceNano : row.upToNano;
  return state.limits.maxCreditsNano === null || most === undefined || most === null ? {} : { upToNano: most };
}

/** Nothing of the room was reserved for the row: its bound is what its attempt at the service was counted with. */
export function isBoundByCount({ isJoined, countedNano, atServiceNano }: OpenRow): boolean {
  return isJoined === true && countedNano === undefined && atServiceNano !== undefined;
}

/** The reservation becomes the cost; where that is not known, the whole reservation stays. */
export function bookFinished(state: BatchState, row: OpenRow, creditsNano: CreditsNano | null): void {
  addSpent(state, costOf(row, creditsNano));
}

/** What a row that had ended costs more than it was counted with; what was not known then was counted with its bound. */
export function bookRevised(state: BatchState, { status, was, creditsNano, moreNano }: RowFinished): void {
  if (moreNano !== undefined) addSpent(state, moreNano ?? UNBOUNDED);
  else if (was && was.creditsNano !== null && creditsNano !== null) {
    const more = creditsNano - was.creditsNano;
    // A bill that came back is spent no more; a read under way may have left it out already.
    const cameBack = was.status === 'lost_paid' && status === 'failed' && state.spentNano !== null;
    addSpent(state, cameBack ? more : Math.max(0, more));
  }
}

function costOf({ isJoined, countedNano, upToNano, again }: OpenRow, creditsNano: CreditsNano | null): CreditsNano {
  const againNano = again?.nano ?? 0;
  // What was at the service when the row was opened has been counted as spent.
  if (isJoined && countedNano === undefined) return againNano;
  if (creditsNano === null) return (upToNano ?? UNBOUNDED) + againNano;
  return Math.max(0, creditsNano - (countedNano ?? 0));
}

function addSpent(state: BatchState, nano: CreditsNano): void {
  if (state.spentNano !== null) state.spentNano += nano;
  else if (state.endedMeanwhileNano !== undefined) state.endedMeanwhileNano += nano;
}

/** Counts a row that ended without its output, and stops the batch at one too many. */
export function countFailure(state: BatchState, { status, reason = 'budget_reached' }: RowFinished): void {
  // Its price rose above what was reserved for it.
  if (status === 'not_started' && reason === 'budget_reached') state.stopped ??= 'budget_reached';
  if (status !== 'failed' && status !== 'lost_paid' && status !== 'review') return;
  state.failures += 1;
  const isLeft = state.cursor !== null || state.open.length > 0;
  if (state.stopped === null && hasTooManyFailed(state) && isLeft) state.stopped = 'too_many_failures';
}

/** One row too many has failed, and what others feed that are done is all that is left: its feeder ended just before. */
export function isBoundOfFed(state: BatchState): boolean {
  const isLeft = (state.chains?.feeders.length ?? 0) > 0;
  return isLeft && state.stopped === null && hasTooManyFailed(state);
}

function hasTooManyFailed({ limits: { maxFailures: limit }, failures, rows }: BatchState): boolean {
  if (limit === null) return false;
  return 'rows' in limit ? failures > limit.rows : failures * 100 > limit.percent * rows;
}

type Counted = Pick<RowFinished, 'status' | 'creditsNano'>;

/** Adds a row's end to the counts, or takes it out again. */
export function count(state: BatchState, { status, creditsNano }: Counted, by: number): void {
  state.counts[status] += by;
  if (creditsNano === null) state.creditsUnknown += by;
  else state.creditsNano += by * creditsNano;
}
