import type { SubmitResult } from '../contract/activities.js';
import type { Finish, Job, Step } from './job-work.js';

type Standing = Extract<SubmitResult, { outcome: 'standing' }>['standing'];

/** What follows from where an attempt stands, by the batch's policy. */
export function nextStep(work: Job, standing: Standing): Step {
  switch (standing) {
    case 'void':
    case 'overridden':
      return { step: 'submit' };
    case 'created':
      return { step: 'poll' };
    case 'done':
    case 'rendered':
      return { step: 'download' };
    case 'claimed':
    case 'open_case':
      return { step: 'case' };
    case 'billed':
      return payAgainOr(work, { step: 'finish', status: 'lost_paid', reason: 'answer_lost_billed' });
    case 'undecided':
      return payAgainOr(work, { step: 'finish', status: 'review', reason: 'answer_lost_undecided' });
    case 'given_up':
      return { step: 'finish', status: 'lost_paid', reason: 'marked_lost' };
    case 'written_off':
      return { step: 'finish', status: 'failed', reason: 'marked_unbilled' };
    case 'not_billed':
      return work.input.policy.ambiguity === 'hold' || !work.mayResend
        ? { step: 'finish', status: 'failed', reason: 'answer_lost_unbilled' }
        : { step: 'submit' };
    case 'ended':
      return retryOrFail(work, { step: 'finish', status: 'failed', reason: 'render_failed' });
  }
}

/** With the policy `always` the row may be paid again, as far as the batch's waste limit goes. */
function payAgainOr(work: Job, otherwise: Finish): Step {
  return work.input.policy.ambiguity === 'always' ? { step: 'override', otherwise } : otherwise;
}

/** A job that ended unbilled at the service is tried again as often as the batch says. */
export function retryOrFail(work: Job, failed: Step): Step {
  if (work.retried >= work.input.policy.retries) return failed;
  work.retried += 1;
  return { step: 'submit' };
}
