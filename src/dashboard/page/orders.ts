// The orders for a batch: those that its state takes, and what mends the rows that ended for one reason.

import { startAgain } from '../../domain/outcome';
import type { OrderRequest } from './order-dialog';
import type { FailureGroup, Status } from './types';

const PAUSE = { order: 'pause', label: 'Pause', effect: 'Nothing new is submitted; what was submitted is fetched.' };
const CANCEL = {
  order: 'cancel',
  label: 'Cancel',
  effect: 'Nothing new is submitted, and open rows end as cancelled; what was submitted is paid, and is fetched.',
};
const RESUME = {
  order: 'resume',
  label: 'Resume',
  effect: 'The batch submits again.',
  fields: [{ name: 'maxCredits', label: 'Its budget in credits (empty: as it is)', isNeeded: false }],
};
const APPROVE: OrderRequest = {
  order: 'approve',
  label: 'Approve the rest',
  effect: 'Submits all rows that the sample held back. No row of the sample is paid again.',
  fields: [
    { name: 'maxCredits', label: 'At most so many credits, with all that was spent so far', isNeeded: 'where priced' },
  ],
};
const BUDGET = {
  order: 'resume',
  label: 'Budget',
  effect: 'From now on the batch may cost so much in all.',
  fields: [{ name: 'maxCredits', label: 'Its budget in credits', isNeeded: true }],
};
const LIMITS = {
  order: 'limits',
  label: 'Limits',
  effect: 'Changes how the batch shares the slots with others; jobs that run are left alone.',
  fields: [
    { name: 'concurrency', label: 'Simultaneous jobs of this batch (empty: as it is)', isNeeded: false },
    { name: 'weight', label: 'Weight beside other batches, 1 to 100 (empty: as it is)', isNeeded: false },
    { name: 'priority', label: 'Priority (empty: as it is)', isNeeded: false },
  ],
};
const ACCOUNT_LIMITS = {
  order: 'account-limits',
  label: 'Account limits',
  effect: 'Changes what all batches of the account may use of the plan; jobs that run are left alone.',
  fields: [
    { name: 'concurrency', label: 'Simultaneous jobs (empty: as it is)', isNeeded: false },
    { name: 'rpm', label: 'Requests per minute (empty: as it is)', isNeeded: false },
  ],
};

/** The orders that its state takes, whether an engine runs or not: as on the command line. */
export function ordersOf(status: Status): OrderRequest[] {
  const { state, stopped } = status;
  const goOn = stopped === null ? [] : [resumeOf(status)];
  if (state === 'finished') return goOn;
  if (state === 'sampled') return [...goOn, approveOf(status), CANCEL];
  const turn = state === 'not running' || state === 'paused' ? [RESUME, CANCEL] : [PAUSE, CANCEL, BUDGET];
  return [...turn, LIMITS, ACCOUNT_LIMITS];
}

/** More credits than were approved after a sample are approved again. */
function resumeOf(status: Status): OrderRequest {
  return status.stopped === 'budget_reached' && status.sample === 'approved' ? approveOf(status) : RESUME;
}

/** What is approved is the budget of the whole batch: what the sample cost counts. */
function approveOf({ credits, creditsUnknown }: Status): OrderRequest {
  return credits === null || creditsUnknown > 0 ? APPROVE : { ...APPROVE, spent: credits };
}

/** The output was paid, and may still be fetched. */
const FETCHED = ['output_pending', 'output_expired', 'output_rejected'];

/** What mends all rows of one reason at once; else where each has its orders. */
export function mendOf({ status, reasonCode = '' }: FailureGroup, batch: Status): OrderRequest | string | null {
  if (status === 'failed' || status === 'cancelled') return retryOf(reasonCode);
  if (FETCHED.includes(reasonCode)) return fetchOf(reasonCode);
  if (reasonCode === 'answer_lost_undecided') return SETTLE_GROUP;
  if (status !== 'not_started') return status === 'skipped' ? null : 'Each has its orders on its own page.';
  switch (startAgain(reasonCode)) {
    case 'retry':
    case 'follow':
      return retryOf('');
    case 'accept inputs':
      return ACCEPT_INPUTS;
    case 'review':
      return 'Settle the rows that feed them first: the page of each names them.';
    case 'run':
      return batch.stopped === null ? null : resumeOf(batch);
  }
}

const SETTLE_GROUP: OrderRequest = {
  order: 'settle-group',
  label: 'Settle together',
  effect:
    'Counts by the balance how many lost answers of one price were billed, with those of other batches: so many end as lost_paid, and the others are sent again.',
};
const ACCEPT_INPUTS: OrderRequest = {
  order: 'retry',
  label: 'Retry with the files as they lie',
  effect: 'Takes the changed files that feed these rows as they lie now, and submits all rows that were not started.',
  body: { reason: 'input_changed', acceptInputs: true },
};

function retryOf(reason: string): OrderRequest {
  const label = `Retry ${reason || 'all failed and cancelled rows'}`;
  const effect = 'Submits these rows again, with all that were not started. What was billed is not paid again.';
  return { order: 'retry', label, effect, body: reason === '' ? {} : { reason } };
}

function fetchOf(reason: string): OrderRequest {
  const effect = 'Fetches these outputs again, which are paid already; rows that were not started are submitted.';
  return { order: 'retry', label: `Fetch ${reason} again`, effect, body: { reason } };
}
