import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Verdict } from '../domain/attempt.js';
import type { BatchLimits } from '../domain/batch.js';
import type { ReasonCode } from '../domain/failure.js';
import type { Kind } from '../domain/kind.js';
import type { CreditsNano } from '../domain/money.js';
import type { Status } from '../domain/outcome.js';
import type { GrantedMeanwhile, SubmitResult } from './attempts.js';
import type { Granted, JobKey, OpenedCase, PauseReason, Release } from './semaphore.js';
import type { SemaphoreView } from './semaphore-view.js';
import type { BatchProgress, RetryOrder, RowRef } from './workflows.js';

// ---- to the semaphore ----

/**
 * Asks for a slot; idempotent. `holds`: an attempt of this job is already at the service, so it has a slot. `apart`: the
 * batch's policy goes by the balance, which must tell its submit from others. `standsBy`: its submit waits for the grant
 * within the worker, where it is told.
 */
export const acquire =
  defineSignal<[{ job: JobKey; kind: Kind; holds: boolean; apart?: true; isFed?: true }]>('acquire');
/** The same from an activity, for jobs that then only wait: of those that a batch has just started one message for all. */
export const acquireFor = defineSignal<[AcquireFor]>('acquireFor');
export interface AcquireFor {
  batch: string;
  jobs: { id: string; kind: Kind }[];
  apart?: true;
  isFed?: true;
  standsBy?: true;
}
/** The job no longer waits for a slot. */
export const withdraw = defineSignal<[{ job: JobKey }]>('withdraw');
/** The service accepted the job of this grant; sent by the submit activity once the handle is recorded. */
export const submitted = defineSignal<[{ grant: number }]>('submitted');
/** Gives a slot back; idempotent by grant number. */
export const release = defineSignal<[Release]>('release');
/** An answer was lost; idempotent by attempt. Sent by the activity that recorded it. */
export const caseOpened = defineSignal<[OpenedCase]>('caseOpened');
/** A case ended by a verdict or a late state; `created` when its job renders after all. */
export const caseEnded = defineSignal<[{ job: JobKey; created: boolean }]>('caseEnded');
/** The service refused a request for the account's limits: they may have changed. */
export const limitsRefused = defineSignal('limitsRefused');
/** What was ordered of slots or requests stands in the home: of the account, or of a batch. */
export const limitsOrdered = defineSignal('limitsOrdered');
export const pauseGrants = defineSignal<[Omit<PauseReason, 'sinceMs'>]>('pause');
export const resumeGrants = defineSignal<[{ reason: PauseReason['reason']; batch?: string }]>('resume');
export const semaphoreView = defineQuery<SemaphoreView>('view');

// ---- to a job ----

/** A slot is yours until you release this grant. */
export const granted = defineSignal<[Granted]>('granted');
/** The submit's outcome, sent by the activity itself in case its completion is not heard. */
export interface OutcomeKnown {
  n: number;
  result: SubmitResult & GrantedMeanwhile;
}
export const outcomeKnown = defineSignal<[OutcomeKnown]>('outcomeKnown');
/** The provider says that there is news of an attempt: a hint to ask now, and no more. */
export const callbackCame = defineSignal<[{ n: number }]>('callbackCame');
/** Whether the batch's budget has reserved the payment that was asked for. */
export interface PaymentAnswered {
  n: number;
  isReserved: boolean;
}
export const paymentAnswered = defineSignal<[PaymentAnswered]>('paymentAnswered');
/** The ledger learned something of the row's attempt: look at once, not only when the next look is due. */
export const lookAgain = defineSignal('lookAgain');

// ---- to a batch ----

/** Rows to run: a (new) generation, and which ended rows to run again. */
export interface Supply {
  generation: string;
  rows: number;
  retry: RetryOrder | null;
  /** Those of a batch that runs are changed only where something is given. */
  limits?: BatchLimits;
  /** How often its user has let it go on: a stop that it decided before counts no more. */
  lifted?: number;
}
export const supply = defineSignal<[Supply]>('supply');
/**
 * A row that ended may go on: the ledger learned more of it. Starts a batch that does not run, over all its rows.
 * `isRerun`: rows that it feeds and that were ordered to be rendered again follow it.
 */
export interface Reopen extends Pick<Supply, 'generation' | 'rows' | 'lifted'> {
  row: RowRef;
  isRerun?: true;
}
export const reopen = defineSignal<[Reopen]>('reopen');
/** A row ended; counted once. */
export interface RowFinished {
  id: string;
  status: Status;
  /** Null when not known. */
  creditsNano: CreditsNano | null;
  reason?: ReasonCode;
  /** Set when the record of a row that had ended was corrected: as it was counted before. */
  was?: { status: Status; creditsNano: CreditsNano | null };
  /** Beside `was`: an attempt that counted as unbilled may have cost up to this; null when nothing bounds it. */
  moreNano?: CreditsNano | null;
}
export const rowFinished = defineSignal<[RowFinished]>('rowFinished');
/** Has the results of a batch that has ended written once more. */
export const resultsOutdated = defineSignal('resultsOutdated');
/**
 * A row is to be paid again although attempt `n` may have been billed: the batch reserves the price, null where none is
 * known, and answers. Asked again until there is an answer.
 */
export interface PaymentAsked {
  id: string;
  n: number;
  nano: CreditsNano | null;
}
export const paymentAsked = defineSignal<[PaymentAsked]>('paymentAsked');
/** A row's answer was lost, or its case ended: by a verdict, or since its answer was found after all. */
export interface CaseNoted {
  id: string;
  verdict?: Verdict;
  isOver?: true;
}
export const caseNoted = defineSignal<[CaseNoted]>('caseNoted');
/** Something finished cannot be stored: a row's files or record, or with `id` null the results of the batch. */
export interface OutputBlocked {
  id: string | null;
  /** The store's code, as `ENOSPC`. */
  code: string;
}
export const outputBlocked = defineSignal<[OutputBlocked]>('outputBlocked');
export const pauseBatch = defineSignal('pauseBatch');
export const resumeBatch = defineSignal('resumeBatch');
/** New limits; null leaves one as it is. A batch that stops for the old ones goes on. */
export const setBudget = defineSignal<[BatchLimits & Pick<Supply, 'lifted'>]>('setBudget');
/** No new submits; accepted jobs are still fetched. */
export const cancelBatch = defineSignal('cancelBatch');
export const batchProgress = defineQuery<BatchProgress>('progress');
