import type { FailureFacts } from './failure-class.js';

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
      'Bring the file back and run the manifest again, or take it as it lies: `callsheet retry BATCH --accept-inputs`.',
  },
  record_damaged: {
    class: 'input',
    retry: false,
    billed: 'unknown',
    meaning: 'A document of this row in the home cannot be read: nothing is sent for it.',
    advice: 'Run the manifest again, which writes its rows anew; for a record, `callsheet ledger repair`.',
  },
} as const satisfies Record<string, FailureFacts>;
