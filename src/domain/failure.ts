import type { RefusalNext } from './attempt.js';
import { type FailureFacts, FETCH_REASONS, OWN_REASONS } from './reasons.js';

/** Every reason that a row can end with, whether trying the row again can help, and what it cost. */
export const REASONS = {
  invalid_request: {
    class: 'invalid',
    retry: false,
    billed: 'no',
    meaning: 'The service refused the request as invalid.',
    advice: 'Correct the row as the message says, then `callsheet retry`.',
  },
  model_not_available: {
    class: 'refused',
    retry: false,
    billed: 'no',
    meaning: 'The account has no access to this model.',
    advice: 'Ask the service for a grant, or choose another model.',
  },
  route_disabled: {
    class: 'refused',
    retry: true,
    billed: 'no',
    meaning: 'The service says that this provider is not enabled.',
    advice: 'Wait until the service enables it, then `callsheet retry`.',
  },
  service_error: {
    class: 'provider',
    retry: true,
    billed: 'no',
    meaning: 'The service failed on every try; it refunds such requests.',
    advice: '`callsheet retry` later.',
  },
  output_too_large: {
    class: 'invalid',
    retry: false,
    billed: 'no',
    meaning: 'The clip is too large for the service to return.',
    advice: 'Request a shorter clip or smaller size.',
  },
  render_failed: {
    class: 'provider',
    retry: true,
    billed: 'no',
    meaning: 'The provider accepted the job and failed to render it.',
    advice: 'Read the reason, correct the row if it says so, then `callsheet retry`.',
  },
  render_moderated: {
    class: 'moderation',
    retry: false,
    billed: 'no',
    meaning: "The provider's own words say that its content check refused the job.",
    advice: 'Change the prompt or the media in the manifest, then run the same command again.',
  },
  render_cancelled: {
    class: 'provider',
    retry: true,
    billed: 'no',
    meaning: 'The provider cancelled the job.',
    advice: 'Read the reason, then `callsheet retry`.',
  },
  render_expired: {
    class: 'expired',
    retry: true,
    billed: 'no',
    meaning: 'The job expired at the provider before it rendered.',
    advice: '`callsheet retry`.',
  },
  answer_lost_unbilled: {
    class: 'ambiguous',
    retry: true,
    billed: 'no',
    meaning: 'The answer to the submit was lost; the credits check proved that nothing was billed.',
    advice: '`callsheet retry`, or run with `--ambiguity if-proved` to have it done by itself.',
  },
  answer_lost_billed: {
    class: 'ambiguous',
    retry: false,
    billed: 'yes',
    meaning:
      'The answer to the submit was lost and the balance shows that it was billed; its output cannot be reached.',
    advice: 'If you find the handle, `callsheet review attach-handle`; else `callsheet review resubmit` pays again.',
  },
  answer_lost_undecided: {
    class: 'ambiguous',
    retry: false,
    billed: 'unknown',
    meaning: 'The answer to the submit was lost and the balance does not show whether it was billed.',
    advice: '`callsheet review show` has the evidence; settle it with `callsheet review`.',
  },
  marked_lost: {
    class: 'ambiguous',
    retry: false,
    billed: 'yes',
    meaning: 'A person gave the row up as billed and lost.',
    advice: 'If its handle turns up, `callsheet review attach-handle`; else `callsheet review resubmit` pays again.',
  },
  marked_unbilled: {
    class: 'ambiguous',
    retry: true,
    billed: 'no',
    meaning: 'The answer to the submit was lost; a person says that it was not billed.',
    advice: '`callsheet retry`.',
  },
  verdict_contradicted: {
    class: 'ambiguous',
    retry: false,
    billed: 'unknown',
    meaning: 'An attempt that the credits check had found not billed was billed after all; a later one may be as well.',
    advice: '`callsheet review show` has the evidence; `callsheet review trust` lets rows be sent again by themselves.',
  },
  ...FETCH_REASONS,
  input_missing: {
    class: 'input',
    retry: true,
    billed: 'no',
    meaning: 'An input of the row could not be read when it was needed.',
    advice: 'Make the input reachable, then `callsheet retry`.',
  },
  shared_row_failed: {
    class: 'provider',
    retry: true,
    billed: 'no',
    meaning: 'The row whose render this row shares did not bring an output.',
    advice: 'Read the reason of that row, then `callsheet retry`.',
  },
  ...OWN_REASONS,
  cancelled_by_user: {
    class: 'cancelled',
    retry: true,
    billed: 'no',
    meaning: 'The batch was cancelled before this row was submitted.',
    advice: '`callsheet retry` runs it.',
  },
  budget_reached: {
    class: 'budget',
    retry: true,
    billed: 'no',
    meaning: 'The budget of the batch was reached before this row was submitted.',
    advice: '`callsheet resume` with a higher `--max-credits` goes on.',
  },
  too_many_failures: {
    class: 'budget',
    retry: true,
    billed: 'no',
    meaning: 'More rows failed than `--max-failures` allows, before this row was submitted.',
    advice: 'See why the others failed, then `callsheet resume`.',
  },
} as const satisfies Record<string, FailureFacts>;

export type ReasonCode = keyof typeof REASONS;

/** Refusals after which no other attempt is made: what their row has failed by. */
export const FAILED_BY: Partial<Record<RefusalNext, ReasonCode>> &
  Record<Extract<RefusalNext, `fail_${string}`>, ReasonCode> = {
  fail_row: 'invalid_request',
  fail_size: 'output_too_large',
  fail_model: 'model_not_available',
  fail_route: 'route_disabled',
};

/** The documents list no code for it, so only plain words of the provider count; everything else stays `render_failed`. */
const MODERATION =
  /\bmoderat|\bnsfw\b|\b(safety|content|policy)[ _-](check|filter|system|policy|violation)|\bprohibited content\b/i;

/** The reason of a job that the service ended without a result, from its words (service document 2, States). */
export function endedReason({
  word,
  code,
  message,
}: {
  word: string;
  code?: string | undefined;
  message: string;
}): ReasonCode {
  const lower = word.toLowerCase();
  if (lower === 'cancelled' || lower === 'canceled') return 'render_cancelled';
  if (lower === 'expired') return 'render_expired';
  return MODERATION.test(`${code ?? ''} ${message}`) ? 'render_moderated' : 'render_failed';
}
