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
