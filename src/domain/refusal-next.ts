/** What must happen after a refusal; the submit itself is known not to be billed. */
export type RefusalNext =
  /** The network is away: a new attempt with backoff, without limit. */
  | 'retry_backoff'
  /** The provider behind the route is away: the submits of that route are paced, then paused. */
  | 'wait_provider'
  /** Requests per minute: the account's submits are paced, then paused. */
  | 'wait_turn'
  /** A gateway turned the request away for its rate: the submits of that route are paced, then paused. */
  | 'wait_gateway'
  /** Simultaneous jobs: give the slot back, lower the cap, wait for a new grant. */
  | 'wait_slot'
  /** A synchronous call failed and is refunded: at most three new attempts. */
  | 'retry_sync'
  /** The answer was too large: one more attempt that asks for a URL. */
  | 'retry_as_url'
  /** The key is not accepted: the account pauses until a good one is there. */
  | 'pause_key'
  /** Not enough credits: the account pauses until the balance changed. */
  | 'pause_credits'
  | 'fail_row'
  /** The output is too large to be returned at all. */
  | 'fail_size'
  /** This model is closed to the account: all rows of the batch with it fail. */
  | 'fail_model'
  /** This provider is closed to the account: all rows of the batch with it fail. */
  | 'fail_route';
