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
  record_damaged: {
    class: 'input',
    retry: false,
    billed: 'unknown',
    meaning: 'A document of this row in the home cannot be read: nothing is sent for it.',
    advice: 'Run the manifest again, which writes its rows anew; for a record, `callsheet ledger repair`.',
  },
} as const satisfies Record<string, FailureFacts>;
