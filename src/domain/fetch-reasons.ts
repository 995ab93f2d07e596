import type { FailureFacts } from './failure-class.js';

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
