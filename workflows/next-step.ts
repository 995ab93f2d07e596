import type { SubmitResult } from '../src/contract/activities.js';
import type { Status } from '../src/domain/outcome.js';
import { isAsync, KINDS } from '../src/kinds/facts.js';
import type { Finish, Job, Step } from './job-work.js';

type Standing = Extract<SubmitResult, { outcome: 'standing' }>['standing'];

/** What follows from where an attempt stands, by the batch's policy. */
export function nextStep(work: Job, standing: Standing): Step {
  switch (standing) {
    case 'void':
      return { step: 'submit' };
    case 'overridden':
      return { step: 'override', otherwise: UNDECIDED };
    case 'created':
      return { step: 'poll' };
    case 'done':
    case 'rendered':
      return { step: 'download' };
    case 'claimed':
    case 'open_case':
      return { step: 'case' };
    case 'billed':
      return { step: 'finish', status: 'lost_paid', reason: 'answer_lost_billed' };
    case 'undecided':
      return mayPayAgain(work) ? { step: 'override', otherwise: UNDECIDED } : UNDECIDED;
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

const UNDECIDED: Finish = { step: 'finish', status: 'review', reason: 'answer_lost_undecided' };

/** By the policy `always`, or because a synchronous call may be cheap enough; never what was billed. */
function mayPayAgain({ input }: Job): boolean {
  const kind = KINDS[input.row.kind];
  return input.policy.ambiguity === 'always' || (kind !== undefined && !isAsync(kind));
}

/** A job that ended unbilled at the service is tried again as often as the batch says. */
export function retryOrFail(work: Job, failed: Step): Step {
  if (work.retried >= work.input.policy.retries) return failed;
  work.retried += 1;
  return { step: 'submit' };
}

/** A row that is being paid again may have been billed before: it has not failed because the new attempt cost nothing. */
export function endOf({ again }: Pick<Job, 'again'>, end: Finish): Finish {
  const isUnbilled = !end.recorded && (['failed', 'cancelled', 'not_started'] as Status[]).includes(end.status);
  return again && isUnbilled ? again.otherwise : end;
}
