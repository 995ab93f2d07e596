/** The classes of failure, a closed list: `callsheet retry BATCH --class CLASS`. */
export const FAILURE_CLASSES = [
  'moderation',
  'invalid',
  'refused',
  'not_found',
  'expired',
  'provider',
  'ambiguous',
  'output',
  'budget',
  'input',
  'cancelled',
] as const;
/** What stands for all of them where a `--retry-failed` names none. */
export const EVERY_CLASS = 'every';

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** What is said of a reason: its class, whether trying the row again can help, and what it cost. */
export interface FailureFacts {
  /** What a retry can be narrowed to. */
  class: FailureClass;
  /** Can the same row succeed later without a change by the user? */
  retry: boolean;
  /** `no` = known not billed, `yes` = billed, `unknown` = not known. */
  billed: 'no' | 'yes' | 'unknown';
  /** One sentence: what happened. */
  meaning: string;
  /** One sentence: what the user should do. */
  advice: string;
}

/** Reasons of rows that the service accepted, and of which no output could be had. */
export const FETCH_REASONS = {
  handle_not_found: {
    class: 'not_found',
    retry: false,
    billed: 'unknown',
    meaning: 'The service does not know the handle that it gave.',
    advice: '`callsheet review show`; ask the service with the handle.',
  },
  handle_expired: {
    class: 'expired',
    retry: false,
    billed: 'unknown',
    meaning: 'The job did not end within the life of its handle.',
    advice: '`callsheet review show`; ask the service with the handle.',
  },
  poll_refused: {
    class: 'provider',
    retry: false,
    billed: 'unknown',
    meaning: 'The service refuses to say what became of the job.',
    advice: '`callsheet review show` has the handle; once polls work, `callsheet review attach-handle` asks again.',
  },
  poll_unreadable: {
    class: 'provider',
    retry: false,
    billed: 'unknown',
    meaning: 'The service says that the job has ended, and for ten minutes no output could be read from its answers.',
    advice: 'Ask the service with the handle, which `callsheet review show` has.',
  },
  ledger_contradiction: {
    class: 'ambiguous',
    retry: false,
    billed: 'unknown',
    meaning: 'What the service says of the job contradicts what was recorded of it before.',
    advice: '`callsheet review show` has the record; settle it with `callsheet review`.',
  },
  job_closed: {
    class: 'provider',
    retry: false,
    billed: 'unknown',
    meaning: "The row's workflow closed again and again before the row had ended; nothing was sent again for it.",
    advice:
      'The log of the worker says why; `callsheet review show` has what was recorded, and the handle if there is one.',
  },
  output_pending: {
    class: 'output',
    retry: true,
    billed: 'yes',
    meaning:
      'The output was rendered and billed and could not be fetched yet; it is tried on while URL or handle may live.',
    advice: '`callsheet retry BATCH --class output` tries at once; `callsheet review show` has the URL.',
  },
  output_expired: {
    class: 'output',
    retry: true,
    billed: 'yes',
    meaning: 'The output was rendered and billed, and neither its URL nor its handle gives it any more.',
    advice: '`callsheet retry BATCH --class output` tries once more; `callsheet review resubmit` pays again.',
  },
  download_failed: {
    class: 'output',
    retry: true,
    billed: 'yes',
    meaning: 'The output was rendered and billed, but no place is known where it could be fetched.',
    advice: '`callsheet review show` has what is known; `callsheet review resubmit` pays again.',
  },
  output_rejected: {
    class: 'output',
    retry: true,
    billed: 'yes',
    meaning:
      'The output was rendered and billed, but what came is larger than any output can be, or no file of a known kind.',
    advice:
      '`callsheet review show` has the URL, or where it is kept; `callsheet retry BATCH --class output` tries once more.',
  },
} as const satisfies Record<string, FailureFacts>;

/** Reasons that lie in the manifest or in the home, not in what the service said. */
export const OWN_REASONS = {
  row_changed: {
    class: 'input',
    retry: false,
    billed: 'yes',
    meaning: 'The row was submitted with other values than the manifest has now.',
    advice: 'Give the row its old values or a new id, or run with `--changed rerun`, which pays again.',
  },
  row_replaced: {
    class: 'input',
    retry: true,
    billed: 'no',
    meaning: 'The manifest was changed while the row waited: it was not submitted with its old values.',
    advice: 'Run the manifest again.',
  },
  upstream_failed: {
    class: 'input',
    retry: true,
    billed: 'no',
    meaning: 'A row that feeds this one brought no output: it was not submitted.',
    advice: 'See why that row ended, then `callsheet retry`, which runs both.',
  },
  upstream_review: {
    class: 'input',
    retry: true,
    billed: 'no',
    meaning: 'A row that feeds this one needs a person: this one was not submitted.',
    advice:
      'Settle that row with `callsheet review`: what it feeds follows once its output is there, else run the manifest again.',
  },
  upstream_late: {
    class: 'input',
    retry: true,
    billed: 'no',
    meaning: 'The output of a row that feeds this one came after this one had ended: it was not submitted by itself.',
    advice: '`callsheet retry` runs it, with its cost.',
  },
  input_unfit: {
    class: 'input',
    retry: true,
    billed: 'no',
    meaning: 'What another row rendered does not fit the column of this one that takes it.',
    advice: 'Change the row that feeds it, or the column, as the reason says.',
  },
  input_changed: {
    class: 'input',
    retry: true,
    billed: 'no',
    meaning: 'The file that feeds this row is not the one that was rendered any more: nothing was sent.',
    advice:
      'Bring the file back and run the manifest again, or take it as it lies: `callsheet retry BATCH --accept-inputs`, which also gives an order of `rerun` that failed for it again.',
  },
  record_damaged: {
    class: 'input',
    retry: false,
    billed: 'unknown',
    meaning: 'A document of this row in the home cannot be read: nothing is sent for it.',
    advice: 'Run the manifest again, which writes its rows anew; for a record, `callsheet ledger repair`.',
  },
} as const satisfies Record<string, FailureFacts>;
