import {
  CancellationScope,
  CancelledFailure,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';
import { batchId, semaphoreId } from '../src/contract/names.js';
import type { JobInput, JobResult } from '../src/contract/workflows.js';
import { downloadRow, pollRow } from './fetch-row.js';
import { endOf, firstState, policyOfRest, stepAfter } from './job-state.js';
import type { Effect, Finish, Happened, JobParts, Step } from './job-steps.js';
import { openNews } from './news.js';
import { openPayments } from './pay-again.js';
import { downloadProxy, homeProxy, shareProxy } from './proxies.js';
import { settleCase } from './settle-case.js';
import { EVENTS_MAX, openSlot } from './slot.js';
import { openSubmits } from './submit-row.js';

/**
 * One row being carried out: slot → submit → poll → download → record. It returns an outcome and never throws for a
 * refusal. Until the submit is granted it can be cancelled; after that, what the service accepted is fetched.
 */
export async function job(input: JobInput): Promise<JobResult> {
  const { account, begins, timeScale } = input;
  const slot = openSlot(input);
  let looks = 0;
  setHandler(messages.lookAgain, () => {
    looks += 1;
  });
  const parts: JobParts = { account, timeScale, slot, news: openNews(), looks: () => looks };
  const submits = openSubmits(input, slot);
  const payments = openPayments(account);
  let state = firstState(input);
  // A job that starts with an attempt at the service takes over the slot that the attempt holds.
  if (!['submit', 'share', 'prepare'].includes(begins))
    await CancellationScope.nonCancellable(() => slot.acquire(true));
  let step: Step = { step: begins };
  while (step.step !== 'finish') {
    const { state: next, do: effects, next: then } = stepAfter(state, await perform(step));
    state = next;
    step = then;
    for (const effect of effects) await carryOut(effect);
  }
  return finish(endOf(state, step));

  async function perform(step: Exclude<Step, Finish>): Promise<Happened> {
    const { row } = state;
    switch (step.step) {
      case 'prepare':
        return cancellable(prepare);
      // Nothing of the row's own was paid: a copy that cannot be stored is not waited for once it is cancelled.
      case 'share':
        return cancellable(async () => ({ what: 'shared', ...(await shareProxy(account).shareOutput({ row })) }));
      case 'submit':
        return cancellable(submit);
      default:
        return CancellationScope.nonCancellable(() => goOn(step));
    }
  }

  /** What is at the service, or may be, is followed to its end. */
  async function goOn(step: Exclude<Step, Finish | { step: 'prepare' | 'share' | 'submit' }>): Promise<Happened> {
    switch (step.step) {
      case 'poll':
        return { what: 'polled', result: await pollRow(parts, state) };
      case 'case':
        return settleCase(parts, state, note);
      case 'pay again':
        return payments.ask(state, step.otherwise);
      case 'download':
        slot.release({ done: true });
        return { what: 'fetched', status: await downloadRow(parts, state) };
    }
  }

  async function prepare(): Promise<Happened> {
    const maySubmit = slot.mayAsk();
    const found = await downloadProxy(account).fetchInputs({ row: state.row, ...(maySubmit ? { maySubmit } : {}) });
    if (typeof found !== 'object' || !('isAsked' in found)) return { what: 'prepared', taken: found };
    slot.asked();
    return { what: 'prepared', taken: true };
  }

  /** Here a job can be cancelled: it has no slot, or has one and nothing is sent yet. */
  async function submit(): Promise<Happened> {
    // Held back each time that it has its slot, it would grow for as long as that lasts.
    if (state.again === undefined && workflowInfo().historyLength >= EVENTS_MAX) await handOver();
    while (slot.standsBy() === undefined && !(await slot.acquire(false))) {
      // What a person or a policy pays again stands in this run alone.
      if (state.again === undefined) await handOver();
    }
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled before the submit');
    return { what: 'submitted', result: await submits.next(state) };
  }

  /** A new run goes on waiting. */
  function handOver(): Promise<never> {
    const { isAsked: _asked, standsBy: _stood, ...again } = input;
    const { row, n } = state;
    return continueAsNew<typeof job>({ ...again, row, begins: 'submit', attempts: n, policy: policyOfRest(state) });
  }

  async function carryOut(effect: Effect): Promise<void> {
    if (effect.do === 'wait') return wait(effect.ms / timeScale);
    await CancellationScope.nonCancellable(async () => {
      switch (effect.do) {
        case 'release':
          return slot.release(effect.how);
        case 'note released':
          return slot.released();
        case 'leave the queue':
          return slot.withdraw();
        case 'pause':
          return getExternalWorkflowHandle(semaphoreId(account)).signal(messages.pauseGrants, effect.pause);
        case 'note case':
          return note(effect.end);
      }
    });
  }

  /** Tells watchers; a batch that is gone has none. */
  async function note(end: Omit<messages.CaseNoted, 'id'>): Promise<void> {
    const { batch, id } = state.row;
    try {
      await getExternalWorkflowHandle(batchId(account, batch)).signal(messages.caseNoted, { id, ...end });
    } catch {
      // The record and the ledger hold the case; nobody watches.
    }
  }

  async function finish({ status, reason, text, recorded }: Finish): Promise<JobResult> {
    return CancellationScope.nonCancellable(async () => {
      slot.release();
      const why = { ...(reason ? { reason } : {}), ...(text ? { text } : {}) };
      if (!recorded) await homeProxy(account).finishRow({ row: state.row, status, n: state.n, ...why });
      await slot.settled();
      return { status };
    });
  }
}

/** Nothing of the row is sent while this runs: the batch may end it. */
async function cancellable(work: () => Promise<Happened>): Promise<Happened> {
  try {
    return await work();
  } catch (error) {
    if (!isCancellation(error) && !CancellationScope.current().consideredCancelled) throw error;
    return { what: 'cancelled' };
  }
}

/** A job that is cancelled meanwhile notices at its next step. */
async function wait(ms: number): Promise<void> {
  try {
    await sleep(Math.max(1, ms));
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
}
