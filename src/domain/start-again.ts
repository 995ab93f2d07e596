/** What starts a row that was not started. */
export type StartAgain = 'retry' | 'review' | 'accept inputs' | 'run';

/** By the reason of its end: the same command again passes a row by whose feeder has no output. */
export function startAgain(reason: string | undefined): StartAgain {
  switch (reason) {
    case 'upstream_failed':
      return 'retry';
    case 'upstream_review':
      return 'review';
    case 'input_changed':
      return 'accept inputs';
    default:
      return 'run';
  }
}
