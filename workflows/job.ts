import { CancellationScope, continueAsNew, isCancellation, setHandler } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import type { JobInput, JobResult } from '../src/contract/workflows.js';
import { downloadRow, pollRow, shareRow } from './fetch-row.js';
import type { Finish, Job, Step } from './job-work.js';
import { openNews } from './news.js';
import { endOf } from './next-step.js';
import { payAgain } from './pay-again.js';
import { homeProxy } from './proxies.js';
import { settleCase } from './settle-case.js';
import { openSlot } from './slot.js';
import { openSubmits } from './submit-row.js';

/**
 * One row being carried out: slot → submit → poll → download → record. It returns an outcome and never throws for a
 * refusal. Until the submit is granted it can be cancelled; after that, what the service accepted is fetched.
 */
export async function job(input: JobInput): Promise<JobResult> {
  const slot = openSlot(input);
  const parts = { submits: openSubmits(input), news: openNews(), n: input.attempts, retried: 0, looks: 0 };
  const work: Job = { input, slot, ...parts, mayResend: true };
  setHandler(messages.lookAgain, () => {
    work.looks += 1;
  });
  setHandler(messages.paymentAnswered, (answer) => {
    work.payment = answer;
  });
  // A job that starts with an attempt at the service takes over the slot that the attempt holds.
  if (!['n', 's', 'f'].includes(input.letter)) await CancellationScope.nonCancellable(() => slot.acquire(true));
  let next = firstStep(work);
  for (;;) {
    if (next.step === 'finish') return await finish(work, next);
    if (next.step === 'submit') next = await submitNext(work);
    else if (next.step === 'prepare') next = await prepareNext(work);
    else if (next.step === 'share') next = await shareNext(work);
    else next = await CancellationScope.nonCancellable(() => go(work, next));
  }
}

function firstStep(work: Job): Step {
  switch (work.input.letter) {
    case 'n':
      return { step: 'submit' };
    case 'f':
      return { step: 'prepare' };
    case 'h':
      return { step: 'poll' };
    case 'c':
      return { step: 'case' };
    case 's':
      return { step: 'share' };
    case 'r':
      work.urlLeftMs = 0; // rendered in an earlier run: nobody knows what is left
      return { step: 'download' };
  }
}

/** Nothing of the row's own was paid: a copy that cannot be stored is not waited for once it is cancelled. */
async function shareNext(work: Job): Promise<Step> {
  try {
    return await shareRow(work);
  } catch (error) {
    if (!CancellationScope.current().consideredCancelled) throw error;
    return { step: 'finish', status: 'cancelled', reason: 'cancelled_by_user' };
  }
}

/** What other rows rendered is made ready before a slot is asked for. */
async function prepareNext(work: Job): Promise<Step> {
  try {
    return await work.submits.prepare(work);
  } catch (error) {
    if (!CancellationScope.current().consideredCancelled) throw error;
    return { step: 'finish', status: 'cancelled', reason: 'cancelled_by_user' };
  }
}

/** Here a job can be cancelled: it has no slot, or has one and nothing is sent yet. */
async function submitNext(work: Job): Promise<Step> {
  try {
    // What a person or a policy pays again stands in this run alone.
    while (work.slot.standsBy() === undefined && !(await work.slot.acquire(false)))
      if (work.again === undefined) await handOver(work);
    return await work.submits.next(work);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => work.slot.withdraw());
    return { step: 'finish', status: 'cancelled', reason: 'cancelled_by_user' };
  }
}

/** A new run goes on waiting; what this one has learned and the ledger does not say stands in its policy. */
async function handOver({ input, n, retried, mayResend }: Job): Promise<never> {
  const { policy } = input;
  const ambiguity = mayResend ? policy.ambiguity : 'hold';
  const rest = { ...policy, ambiguity, retries: Math.max(0, policy.retries - retried) };
  const { isAsked: _asked, standsBy: _stood, ...again } = input;
  return continueAsNew<typeof job>({ ...again, letter: 'n', attempts: n, policy: rest });
}

async function go(work: Job, next: Step): Promise<Step> {
  switch (next.step) {
    case 'poll':
      return pollRow(work);
    case 'case':
      return settleCase(work);
    case 'override':
      return payAgain(work, next.otherwise);
    case 'download':
      work.slot.release({ done: true });
      return downloadRow(work);
    case 'share':
    case 'prepare':
    case 'submit':
    case 'finish':
      return next;
  }
}

async function finish(work: Job, end: Finish): Promise<JobResult> {
  const { status, reason, text, recorded } = endOf(work, end);
  return CancellationScope.nonCancellable(async () => {
    work.slot.release();
    if (!recorded) {
      const why = { ...(reason ? { reason } : {}), ...(text ? { text } : {}) };
      await homeProxy(work.input.account).finishRow({ row: work.input.row, status, ...why });
    }
    await work.slot.settled();
    return { status };
  });
}
