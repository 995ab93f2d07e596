import type { Problem } from '../manifest/problem.js';

/** Something the user can mend: one sentence that says what to do, and the exit code. */
export class UserError extends Error {
  override readonly name = 'UserError';
  constructor(
    message: string,
    readonly exitCode: number = EXIT.usage,
    /** What is wrong with the manifest and where, as far as it is shown; absent for other errors. */
    readonly problems?: readonly Problem[],
  ) {
    super(message);
  }
}

/** The exit codes of every command (design: the manifest and the results). */
export const EXIT = {
  done: 0,
  /** Finished; some rows failed, were cancelled or not started. */
  someNotDone: 1,
  /** A wrong command line or manifest, or the budget is below the plan: nothing was submitted. */
  usage: 2,
  /** Rows need a person: `review` or `lost_paid`. */
  needsPerson: 3,
  /** Settings, credentials, or a store that cannot be written. */
  configuration: 4,
  /** Temporal or the service cannot be reached at the start. */
  unreachable: 5,
  /** Stopped by the budget, or out of credits for longer than `--wait`. */
  outOfCredits: 6,
  /** Rows are open and nothing works on them: no engine runs, or it was stopped by order. */
  standsStill: 7,
  /** A defect of callsheet itself. */
  defect: 70,
  /** Detached by Ctrl-C: the work goes on. */
  detached: 130,
} as const;

/** The sentences of the help texts. */
export const RUN_EXIT_HELP = `Exit codes:
  0    every row is done
  1    finished, but some rows failed, were cancelled or not started
  2    wrong command line or manifest, budget below the plan, --yes missing: nothing was submitted
  3    rows need a person: review, or lost_paid that nobody has settled
  4    settings, API key, or a folder that cannot be written
  5    Temporal or the service cannot be reached at the start
  6    stopped by the budget, or out of credits for longer than --wait
  7    rows are open and nothing works on them: the engine was stopped by order
  130  detached by Ctrl-C: the work goes on`;

/** Of an order that costs and is not followed. */
export const ORDER_EXIT_HELP = `Exit codes:
  0  queued    2  refused, budget below the cost, --yes missing: nothing was submitted    4  settings or API key
  5  Temporal or the service cannot be reached`;

export const READ_EXIT_HELP = `Exit codes:
  0  done    2  wrong command line    4  settings, API key or a full disk    5  Temporal or the service cannot be reached`;

export const STATUS_EXIT_HELP = `${READ_EXIT_HELP}
  7  rows are open and nothing works on them: \`callsheet resume --all\` goes on`;
