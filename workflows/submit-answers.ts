import type { ByPerson, SubmitResult } from '../src/contract/attempts.js';
import type { PauseReason, TurnedAway } from '../src/contract/semaphore.js';
import { FAILED_BY, type ReasonCode } from '../src/domain/failure.js';
import type { Status } from '../src/domain/outcome.js';
import { isAsync, takesSlot } from '../src/kinds/facts.js';
import {
  ANSWERED,
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

/** What the answer to a submit, or where an attempt stands in the ledger, means for its job. Pure. */

/** How long a batch that its user paused is left alone before its rows queue again, service time. */
const HELD_MS = 15_000;
const REFUNDED_MAX = 3;
const UNDECIDED: Finish = { step: 'finish', status: 'review', reason: 'answer_lost_undecided' };
const UNSENT: ReadonlySet<ReasonCode> = new Set([
  'budget_reached',
  'too_many_failures',
  'row_replaced',
  'upstream_failed',
  'upstream_review',
  'input_changed',
]);

export function prepared(state: JobState, taken: Extract<Happened, { what: 'prepared' }>['taken']): Next {
  if (taken === true) return to(state, { step: 'submit' });
  if (taken === false) return to(state, finish('failed', 'input_missing'));
  const end: Finish = { ...finish(unsentStatus(taken.reason), taken.reason), text: taken.text };
  return taken.mayBeAsked ? to(state, end, { do: 'leave the queue' }) : to(state, end);
}

export function submitted(state: JobState, result: SubmitResult): Next {
  switch (result.outcome) {
    case 'not_sent':
      return to(state, notSent(result.reason, result.text));
    case 'replaced':
      return to({ ...state, row: result.row }, { step: 'submit' });
    case 'needs_inputs':
      // Another job has the slot while they are fetched.
      return to(state, { step: 'prepare' }, RELEASE);
    case 'held':
      // Released, since nobody knows for how long; the pause itself reaches the semaphore by another way.
      return to(state, { step: 'submit' }, RELEASE, { do: 'wait', ms: HELD_MS });
    case 'not_granted':
      return to(state, { step: 'submit' });
    case 'ended':
      return to(state, { step: 'finish', status: result.status, recorded: true }, ...givenBack(result));
    case 'no_record':
      // The semaphore lifts this pause itself: a job may be cancelled while it waits.
      return to(state, { step: 'submit' }, { do: 'pause', pause: { reason: 'records' } }, RELEASE);
    case 'refused':
      return refused({ ...state, n: result.n }, result);
    case 'standing': {
      const { again, ...rest } = state;
      // The attempt that was to be paid again goes on itself: its row ends as that one does.
      const known = result.n === again?.n ? rest : state;
      return withEffects(
        givenBack(result),
        standing({ ...known, n: result.n, expected: result.expected }, result.standing, result),
      );
    }
  }
}

/** What follows from where an attempt stands, by the batch's policy. */
export function standing(
  state: JobState,
  standing: Extract<SubmitResult, { outcome: 'standing' }>['standing'],
  { byPerson }: ByPerson,
): Next {
  switch (standing) {
    case 'void':
      return to(state, { step: 'submit' });
    case 'overridden':
      return to(state, { step: 'pay again', otherwise: UNDECIDED });
    case 'created':
      return to(state, { step: 'poll' });
    case 'done':
    case 'rendered':
      return to(state, { step: 'download' });
    case 'claimed':
    case 'open_case':
      return to(state, { step: 'case' });
    case 'billed':
      return to(state, finish('lost_paid', 'answer_lost_billed'));
    case 'undecided':
      return to(state, mayPayAgain(state) ? { step: 'pay again', otherwise: UNDECIDED } : UNDECIDED);
    case 'given_up':
      return to(state, finish('lost_paid', 'marked_lost'));
    case 'written_off':
      return to(state, finish('failed', 'marked_unbilled'));
    case 'not_billed': {
      const isHeld = !byPerson && (state.policy.ambiguity === 'hold' || !state.mayResend);
      return to(state, isHeld ? finish('failed', 'answer_lost_unbilled') : { step: 'submit' });
    }
    case 'ended':
      return retryOr(state, finish('failed', 'render_failed'));
  }
}

function refused(state: JobState, refusal: Extract<SubmitResult, { outcome: 'refused' }>): Next {
  const { next, retryAfterMs, needNano, seenNano, keyMark } = refusal;
  /** The semaphore paces all who were turned away: the slot goes back, and the row queues again. */
  const turnedAway = (cause: TurnedAway['cause']): Next => {
    const how = { turnedAway: { cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } };
    return to(state, { step: 'submit' }, { do: 'release', how });
  };
  const fails = (reason: ReasonCode): Next => to(state, finish('failed', reason), ANSWERED);
  const pause = (why: Omit<PauseReason, 'sinceMs'>): Next =>
    to(state, { step: 'submit' }, { do: 'pause', pause: why }, ANSWERED);
  switch (next) {
    case 'retry_backoff':
      return turnedAway('network');
    case 'wait_provider':
      return turnedAway('provider');
    case 'wait_turn':
      return turnedAway('rpm');
    case 'wait_gateway':
      return turnedAway('gateway');
    case 'wait_slot':
      // No slot that comes free would hold back a row that takes none: it would be sent again at once, and again.
      if (!takesSlot(state.row.kind)) return turnedAway('gateway');
      return to(state, { step: 'submit' }, { do: 'release', how: { overCap: true } });
    case 'retry_sync': {
      if (state.refunded >= REFUNDED_MAX) return fails('service_error');
      const refunded = state.refunded + 1;
      return to({ ...state, refunded }, { step: 'submit' }, { do: 'wait', ms: 1_000 * 2 ** refunded });
    }
    case 'retry_as_url':
      return to(state, { step: 'submit' });
    case 'pause_key':
      return pause({ reason: 'key', ...(keyMark === undefined ? {} : { keyMark }) });
    case 'pause_credits':
      return pause({
        reason: 'credits',
        ...(needNano === undefined ? {} : { needNano }),
        ...(seenNano && { seenNano }),
      });
    case 'fail_size':
    case 'fail_model':
    case 'fail_route':
    case 'fail_row':
      return fails(FAILED_BY[next]);
  }
}

/** By the policy `always`, or because a synchronous call may be cheap enough; never what was billed. */
function mayPayAgain({ row, policy }: JobState): boolean {
  return policy.ambiguity === 'always' || !isAsync(row.kind);
}

function notSent(reason: ReasonCode, text?: string): Finish {
  const end = finish(unsentStatus(reason), reason);
  return text === undefined ? end : { ...end, text };
}

/** A row that the budget or a person keeps back has not failed. */
function unsentStatus(reason: ReasonCode): Status {
  if (reason === 'record_damaged') return 'review';
  if (reason === 'cancelled_by_user') return 'cancelled';
  return UNSENT.has(reason) ? 'not_started' : 'failed';
}
