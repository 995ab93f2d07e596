import type { ReasonCode } from './failure.js';
import type { Json } from './json.js';
import type { Kind } from './kind.js';
import type { CreditsNano } from './money.js';
import type { FedInput } from './row.js';

/**
 * How a row ended, or `not_started`. Every row has exactly one. `skipped`: a file that is not the batch's own has the
 * row's name, so that it is neither sent nor paid (`--on-exists skip`).
 */
export const STATUSES = ['done', 'failed', 'lost_paid', 'review', 'cancelled', 'skipped', 'not_started'] as const;
export type Status = (typeof STATUSES)[number];

export function noCounts(): Record<Status, number> {
  return { done: 0, failed: 0, lost_paid: 0, review: 0, cancelled: 0, skipped: 0, not_started: 0 };
}

/** What a view shows for a row that has not ended. */
export const LIVE_WORDS = ['held', 'waiting', 'submitting', 'rendering', 'checking', 'downloading'] as const;
export type LiveWord = (typeof LIVE_WORDS)[number];

/**
 * `removed` (the row left the manifest) and `stale_input` (what feeds it, or what fed that, was rendered again since, or
 * changed) stand in the results alone: they depend on more than the row. `rerun_failed`: another render was ordered and
 * brought nothing.
 */
export const FLAGS = [
  'possibly_paid_twice',
  'overridden',
  'removed',
  'settled_together',
  'rerun_failed',
  'stale_input',
] as const;
export type Flag = (typeof FLAGS)[number];
export type CreditsBasis = 'measured' | 'price-book' | 'unknown';

/** One kept output file of a row. `file` is relative to the batch's folder, `/`-separated. */
export interface OutputFile {
  file: string;
  contentType: string;
  bytes: number;
  sha256: string;
  width?: number;
  height?: number;
  durationSeconds?: number;
  frames?: number;
  frameRate?: number;
  /** What the bucket said of the object when it was stored. */
  etag?: string;
  version?: string;
}

/** What is kept of one row that ended: the source of results.csv, results.jsonl and failed.csv. Times are epoch ms. */
export interface RowRecord {
  schema: 1;
  id: string;
  kind: Kind;
  status: Status;
  reasonCode?: ReasonCode;
  /** The provider's code, message and request id, for people. */
  reason?: string;
  flags: Flag[];
  warnings: string[];
  /** Number of claims. */
  attempts: number;
  files: OutputFile[];
  seed?: number;
  revisedPrompt?: string;
  usage?: Json;
  /** Absent when unknown; 0 when known unbilled. */
  creditsNano?: CreditsNano;
  creditsBasis: CreditsBasis;
  handle?: string;
  /** The id of the group of interchangeable attempts that an attempt of it was settled in. */
  settledTogether?: string;
  submittedAtMs?: number;
  renderedAtMs?: number;
  finishedAtMs: number;
  /** The id of the retry that stood when it ended, which does not run it again. */
  endedUnder?: string;
  /** When a person ordered another render, which has not ended: until then this one holds. */
  rerunAtMs?: number;
  /** The rows that feed it and whose other render was ordered with its own: it is not paid where one of those has not come. */
  rerunWith?: string[];
  /** Why another render that was ordered brought nothing, beside the flag `rerun_failed`. */
  rerunFailedFor?: ReasonCode;
  /** Its files are those of an earlier render, since another one was ordered and needs a person. */
  hasEarlierFiles?: true;
  /** `batch/id` of the row whose render was taken over instead of a new one. */
  reusedFrom?: string;
  /** What other rows rendered for it. */
  inputs?: FedInput[];
  /** The hash of the row as it was when it ended. */
  rowHash: string;
  /** The hash of the row for which this output stays by a person's order, although what feeds the row was changed. */
  keptFor?: string;
  /** When the render that was taken over was submitted: its row may have several. */
  reusedSubmittedAtMs?: number;
  /**
   * What it rendered before its own files, the oldest first: paid, and kept beside them. While its files are away, what was
   * stored of them too.
   */
  pastRenders?: PastRender[];
  /** How many states the row's attempts had in the ledger: more of them since then outdo this record. */
  seenStates?: number;
}

/** Whether the row had ended when a retry was ordered. Not by the time: the clock of either may have been wrong. */
function endedBefore(record: RowRecord, retry: OneRetry): boolean {
  return retry.id === undefined ? record.finishedAtMs < retry.beforeMs : record.endedUnder !== retry.id;
}

interface OneRetry {
  id?: string;
  beforeMs: number;
  classes: readonly string[];
}

/** Whether one of the retries that stand names the row's end; what ended under one of them is run again by later ones alone. */
export function isOrderedAgain(record: RowRecord, retry: OneRetry & { also?: readonly OneRetry[] }): boolean {
  const orders = [retry, ...(retry.also ?? [])];
  const under = orders.findIndex((one) => !endedBefore(record, one));
  const later = under < 0 ? orders : orders.slice(0, under);
  const why = record.reasonCode ?? record.status;
  return later.some(({ classes }) => classes.length === 0 || classes.includes(why));
}

/** A render that its row was given another one since. `creditsNano`: of it alone; absent when unknown. */
export type PastRender = Pick<
  RowRecord,
  | 'files'
  | 'warnings'
  | 'seed'
  | 'revisedPrompt'
  | 'inputs'
  | 'creditsNano'
  | 'submittedAtMs'
  | 'finishedAtMs'
  | 'rowHash'
>;

const SHARES = 'shares the render of row ';

/** The warning of a row that has copies of what another row of its batch rendered. */
export function sharesText(id: string): string {
  return `${SHARES}${id}`;
}

/** The id of that row, by the warning: it stands in the records of every build. */
export function sharedFrom({ warnings }: Pick<RowRecord, 'warnings'>): string | undefined {
  return warnings.findLast((warning) => warning.startsWith(SHARES))?.slice(SHARES.length);
}

const RETOUCHED = ' was changed after it was rendered, and is taken as it is';

/** The warning of a row whose file a person changed and had taken as it lies. */
export function retouchedText(file: string): string {
  return `${file}${RETOUCHED}`;
}

/** Whether its first file is no longer what the service rendered, by the warning: it stands in the records of every build. */
export function isRetouched({ warnings }: Pick<RowRecord, 'warnings'>): boolean {
  return warnings.some((warning) => warning.endsWith(RETOUCHED));
}

/** Whether a record is of a row as it is now: made for it, or left to it although what feeds it was changed. */
export function isRecordOf({ rowHash, keptFor }: Pick<RowRecord, 'rowHash' | 'keptFor'>, hash: string): boolean {
  return rowHash === hash || keptFor === hash;
}

/**
 * True for a row that ended and that a person has to look at. One that a person gave up as billed and lost stays
 * `lost_paid`, but nothing is left to decide. Pure.
 */
export function needsPerson({ status, reasonCode }: Pick<RowRecord, 'status' | 'reasonCode'>): boolean {
  return status === 'review' || (status === 'lost_paid' && reasonCode !== 'marked_lost');
}

/** What starts a row that was not started. */
export type StartAgain = 'retry' | 'follow' | 'review' | 'accept inputs' | 'run';

/** By the reason of its end: the same command again passes a row by whose feeder has no output. */
export function startAgain(reason: string | undefined): StartAgain {
  switch (reason) {
    case 'upstream_failed':
      return 'retry';
    case 'upstream_late':
      return 'follow';
    case 'upstream_review':
      return 'review';
    case 'input_changed':
      return 'accept inputs';
    default:
      return 'run';
  }
}
