import type { AmbiguityPolicy } from '../contract/account.js';
import type { SubmitResult } from '../contract/attempts.js';
import type { RetryOrder, RowRef } from '../contract/workflows.js';
import type { Attempt, AttemptState } from '../domain/attempt.js';
import type { BatchLimits, StopReason } from '../domain/batch.js';
import type { CreditsNano } from '../domain/money.js';
import type { RowRecord } from '../domain/outcome.js';
import { isKnownUnbilled, standingOf } from '../domain/standing.js';
import type { AccountRecords } from './account-records.js';
import {
  cancelled,
  clearCancelled,
  clearStopped,
  forgetLifted,
  isCancelledBatch,
  type SampleGate,
  sampleInForce,
  stoppedReason,
  writeSampleGate,
} from './batch-marks.js';
import { changeBatchOrder, readBatchOrder } from './batch-order.js';
import type { HomePlace } from './home-keys.js';
import { clearFollowers, isRerun, type RerunOrder, rerunOrder } from './row-orders.js';
import type { StoredRow } from './row-records.js';
import { type RowContent, type RowStanding, rowStanding, statesOf } from './row-standing.js';

/**
 * What a batch's user ordered, by the home. Anybody on the machine can send Temporal a message, so where money follows
 * from one the home has the last word; only of a batch that an older build ran it says nothing.
 */

type OrderSources = Pick<AccountRecords, 'home'>;

/** What decides whether a row of a batch runs. */
export interface RunOrder {
  /** Which rows that had ended run again. */
  retry: RetryOrder | null;
  /** How rows without anything at the service ended with their batch: it was cancelled, or it stopped by itself. */
  ends: { status: 'cancelled' | 'not_started'; reason: 'cancelled_by_user' | StopReason } | undefined;
  isPaused: boolean;
  limits: BatchLimits | undefined;
}

/** `said`: the retry of the message, which counts for a batch that an older build ran. */
export async function runOrder(
  { home }: OrderSources,
  batch: string,
  said: RetryOrder | null | 'unsaid',
): Promise<RunOrder & { isKnown: boolean }> {
  const [order, isCancelled, stopped] = await Promise.all([
    readBatchOrder(home, batch),
    isCancelledBatch(home, batch),
    stoppedReason(home, batch),
  ]);
  const isKnown = order?.retry !== undefined;
  const retry = order?.retry === undefined ? (said === 'unsaid' ? null : said) : order.retry;
  return {
    // A retry takes the mark of a cancel away: one that stands came later.
    retry: isCancelled ? null : retry,
    ends: isCancelled
      ? { status: 'cancelled', reason: 'cancelled_by_user' }
      : stopped && { status: 'not_started', reason: stopped },
    isPaused: order?.isPaused ?? false,
    limits: order?.limits,
    isKnown,
  };
}

/** Where a row stands by its record, its attempts and the marks on its batch. Pure. */
export function orderedStanding(
  record: RowRecord | undefined,
  attempts: Attempt[],
  { retry, ends }: Pick<RunOrder, 'retry' | 'ends'>,
  content: RowContent,
): RowStanding {
  const standing = rowStanding(record, attempts, retryFor(record, retry), content);
  if (standing.ended || standing.begins !== 'submit' || ends === undefined) return standing;
  if (record === undefined || isUntouched(record)) return { ended: true, status: ends.status, creditsNano: 0 };
  if (orderedAtMs(record, attempts) !== undefined) return standing;
  return { ended: true, status: record.status, creditsNano: record.creditsNano ?? null };
}

/**
 * When a person had a row that had ended go on; the order stands until the row has ended by it, also where attempts cost
 * nothing. What the service says late of its attempt is no order: a batch that was cancelled, or stopped by itself, sends
 * nothing for it.
 */
function orderedAtMs({ rerunAtMs, seenStates = 0 }: RowRecord, attempts: Attempt[]): number | undefined {
  if (rerunAtMs !== undefined) return rerunAtMs;
  const orderOf = ({ states }: Attempt) => states.slice(-1).find(isOrder);
  const at = attempts.findLastIndex((one) => orderOf(one) !== undefined || !isKnownUnbilled(standingOf(one)));
  const order = attempts[at] && orderOf(attempts[at]);
  const isLast = at === attempts.length - 1;
  return isLast || seenStates < statesOf(attempts.slice(0, at + 1)) ? order?.atMs : undefined;
}

function isOrder(state: AttemptState): boolean {
  if (state.state === 'ruled') return true;
  if (state.state === 'verdict') return state.byPerson === true;
  return state.state === 'overridden' && (state.cause === 'person' || state.cause === 'rerun');
}

/** Where a row of a batch stands, by its record and, where that does not say it, by its attempts. */
export async function standingOfRow(
  { records, ledger }: Pick<AccountRecords, 'records' | 'ledger'>,
  batch: string,
  { row, isDamaged }: StoredRow,
  order: RunOrder,
  rerun: RerunOrder,
): Promise<RowStanding> {
  if (isDamaged) return { ended: true, status: 'review', creditsNano: null };
  const record = await records.readRecord(batch, row.id);
  const content = { hash: row.hash, mayRerun: isRerun(rerun, row.id) };
  const seen = rowStanding(record, null, retryFor(record, order.retry), content);
  return seen.ended ? seen : orderedStanding(record, await ledger.read(batch, row.id), order, content);
}

/**
 * The retry as it counts for a row. It took the mark of a cancel away: what ends as cancelled without one was ended by
 * the order before, whenever its job came to it.
 */
export function retryFor(record: RowRecord | undefined, retry: RetryOrder | null): RetryOrder | null {
  if (retry === null || record?.status !== 'cancelled') return retry;
  const whenever = ({ classes }: RetryOrder) => ({ classes, beforeMs: Number.POSITIVE_INFINITY });
  return { ...whenever(retry), ...(retry.also && { also: retry.also.map(whenever) }) };
}

/** Takes a cancel back for a retry that comes after it: what was to be retried before the cancel stays cancelled. */
export async function takeBackCancel(home: HomePlace, batch: string): Promise<void> {
  if (await isCancelledBatch(home, batch)) {
    await changeBatchOrder(home, batch, (order) => (order?.retry ? { ...order, retry: null } : undefined));
    await forgetLifted(home, batch);
  }
  await clearCancelled(home, batch);
}

/** Opens the gate of a sample: all of the rest is ordered, with what an output that came late feeds. */
export async function approveRest(home: HomePlace, batch: string, gate: SampleGate): Promise<void> {
  await clearStopped(home, batch);
  // Before the gate: killed between them, the approval is still to be given.
  await clearFollowers(home, batch);
  await writeSampleGate(home, batch, gate);
}

/** A row that ended by itself has a record. */
function isUntouched(record: RowRecord | undefined): boolean {
  return record === undefined || record.status === 'not_started';
}

/** Why a row is not to be sent although a job asks for it; undefined when it was ordered. */
export async function notOrdered(
  account: OrderSources & Pick<AccountRecords, 'records'>,
  { batch, generation, id }: RowRef,
  { hash, earlier, sinceMs }: { hash: string; earlier: Attempt[]; sinceMs: number },
): Promise<SubmitResult | undefined> {
  const [cancel, order] = await Promise.all([cancelled.read(account.home, batch), runOrder(account, batch, 'unsaid')]);
  const wasCancelled = (beganMs: number): boolean => cancel !== undefined && cancel.atMs >= beganMs;
  // The word that ends the job may still be on its way to it, for as long as no worker runs.
  if (wasCancelled(sinceMs)) return { outcome: 'not_sent', reason: 'cancelled_by_user' };
  if (!order.isKnown) return undefined;
  if (order.isPaused) return { outcome: 'held' };
  if ((await sampleInForce(account.home, batch, generation))?.has(id) === false) return { outcome: 'held' };
  const [record, rerun] = await Promise.all([
    account.records.readRecord(batch, id),
    rerunOrder(account.home, batch, generation),
  ]);
  const standing = orderedStanding(record, earlier, order, { hash, mayRerun: isRerun(rerun, id) });
  // A person's order for the row that no engine had carried out by then was taken back with all others of the batch.
  const orderedMs = record && orderedAtMs(record, earlier);
  if (!standing.ended && orderedMs !== undefined && wasCancelled(orderedMs))
    return { outcome: 'not_sent', reason: 'cancelled_by_user' };
  if (!standing.ended) return undefined;
  if (order.ends && isUntouched(record)) return { outcome: 'not_sent', reason: order.ends.reason };
  return { outcome: 'ended', status: standing.status };
}

const BY_CAUTION: readonly AmbiguityPolicy[] = ['hold', 'if-proved', 'always'];

/** What a batch's user ordered for its lost answers; the most careful where the home does not say. */
export async function policyOf({ home }: OrderSources, batch: string): Promise<AmbiguityPolicy> {
  return (await readBatchOrder(home, batch))?.policy.ambiguity ?? 'hold';
}

/** The more careful one of what the job says and what was ordered. */
export async function orderedPolicy(
  { home }: OrderSources,
  batch: string,
  said: { ambiguity: AmbiguityPolicy; wasteMaxNano: CreditsNano },
): Promise<{ ambiguity: AmbiguityPolicy; wasteMaxNano: CreditsNano }> {
  const policy = (await readBatchOrder(home, batch))?.policy;
  if (policy === undefined) return said;
  const ambiguity = BY_CAUTION.find((one) => one === policy.ambiguity || one === said.ambiguity) ?? 'hold';
  return { ambiguity, wasteMaxNano: Math.min(policy.wasteMaxNano, said.wasteMaxNano) };
}
