import type { PollResult } from '../src/contract/attempts.js';
import type { JobInput, JobPolicy } from '../src/contract/workflows.js';
import type { Status } from '../src/domain/outcome.js';
import { isLost } from '../src/domain/standing.js';
import {
  type Effect,
  type Finish,
  finish,
  givenBack,
  type Happened,
  type JobState,
  type Next,
  RELEASE,
  retryOr,
  to,
  withEffects,
} from './job-steps.js';
import { prepared, standing, submitted } from './submit-answers.js';

/** What a job does next, by what came of the last thing that it did: pure, so that it is tested without a server. */

export function firstState({ row, policy, attempts, begins }: JobInput): JobState {
  const state: JobState = { row, policy, n: attempts, mayResend: true, retried: 0, refunded: 0 };
  // Rendered in an earlier run: nobody knows how long its URL lives.
  return begins === 'download' ? { ...state, urlLeftMs: 0 } : state;
}

export function stepAfter(state: JobState, happened: Happened): Next {
  switch (happened.what) {
    case 'prepared':
      return prepared(state, happened.taken);
    case 'submitted':
      return submitted(state, happened.result);
    case 'polled':
      return polled(state, happened.result);
    case 'recovered':
      return overCase(to(state, { step: happened.found === 'job' ? 'poll' : 'download' }));
    case 'settled':
      return settled(state, happened.result);
    case 'fetched':
      return to(state, { step: 'finish', status: happened.status, recorded: true });
    case 'shared':
      if (happened.status === null) return to(state, { step: 'submit' });
      return to(state, { step: 'finish', status: happened.status, recorded: true });
    case 'paid again': {
      const { upToNano, otherwise } = happened;
      return to({ ...state, again: { n: state.n, upToNano, otherwise } }, { step: 'submit' });
    }
    case 'not paid again':
      return to(state, happened.otherwise);
    case 'cancelled':
      return to(state, finish('cancelled', 'cancelled_by_user'), { do: 'leave the queue' });
  }
}

/** A row that is being paid again may have been billed before: it has not failed because the new attempt cost nothing. */
export function endOf({ again }: Pick<JobState, 'again'>, end: Finish): Finish {
  const isUnbilled = !end.recorded && (['failed', 'cancelled', 'not_started'] as Status[]).includes(end.status);
  return again && isUnbilled ? again.otherwise : end;
}

/** For the run that goes on waiting: what this one has learned and the ledger does not say stands in its policy. */
export function policyOfRest({ policy, mayResend, retried }: JobState): JobPolicy {
  return { ...policy, ...(mayResend ? {} : { ambiguity: 'hold' }), retries: Math.max(0, policy.retries - retried) };
}

function polled(state: JobState, result: PollResult): Next {
  if (result.outcome === 'review') {
    const { reason, text, slotUntilMs } = result;
    const end = { ...finish('review', reason), ...(text ? { text } : {}) };
    return to(state, end, { do: 'release', how: { notBeforeMs: slotUntilMs } });
  }
  const release: Effect = { do: 'release', how: { renderMs: result.renderMs } };
  const slot = [...givenBack(result), release];
  switch (result.outcome) {
    case 'rendered':
      return to({ ...state, urlLeftMs: result.urlLeftMs }, { step: 'download' }, ...slot);
    case 'saved':
      return to(state, { step: 'finish', status: result.status, recorded: true }, ...slot);
    case 'ended':
      return withEffects(slot, retryOr(state, finish('failed', result.reason)));
  }
}

function settled(state: JobState, result: Extract<Happened, { what: 'settled' }>['result']): Next {
  const trusting = result.untrusted ? { ...state, mayResend: false } : state;
  const kept: Effect = { do: 'release', how: { notBeforeMs: result.slotUntilMs } };
  if (result.outcome === 'verdict') {
    const { verdict } = result;
    const told: Effect = { do: 'note case', end: { verdict } };
    return withEffects([told, verdict === 'not_billed' ? RELEASE : kept], standing(trusting, verdict, result));
  }
  // What may still run at the service keeps its slot, whoever settled it.
  const keepsSlot = result.result.outcome === 'standing' && isLost(result.result.standing);
  return overCase(withEffects(keepsSlot ? [kept] : [], submitted(trusting, result.result)));
}

/** The case ended without a verdict: from now on its row takes a place in the window again. */
function overCase(next: Next): Next {
  if (next.next.step === 'finish') return next;
  return { ...next, do: [...next.do, { do: 'note case', end: { isOver: true } }] };
}
