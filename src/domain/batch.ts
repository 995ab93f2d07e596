import type { Kind } from './kind.js';
import type { CreditsNano } from './money.js';
import type { LiveWord, Status } from './outcome.js';

/** How the answer to a synchronous request carries the output. */
export type ResponseFormat = 'url' | 'b64_json';

/** What `run` fixes for a batch; kept in the home beside its rows, never in Temporal. */
export interface BatchOptions {
  schema: 1;
  /** Absolute folder or `s3://bucket/prefix`. */
  out: string;
  onExists: 'fail' | 'skip' | 'version';
  /** A JSON file beside each output that says how it was made. */
  sidecar?: boolean;
  responseFormat: ResponseFormat;
  /** Absolute path of the manifest's folder, for failed.csv. */
  manifestFolder: string;
  /** Absolute path of the manifest that was run last; absent for standard input and in options of an earlier callsheet. */
  manifest?: string;
  /** How it was read, where that was said. */
  format?: 'csv' | 'jsonl';
  delimiter?: string;
  /** That of rows which name none; absent in options of an earlier callsheet too. */
  kind?: Kind;
  maxOutputBytes: number;
}

/** What a batch may cost and how much of it may go wrong before it stops by itself. */
export interface BatchLimits {
  /** Over the batch's whole life; null = without bound. */
  maxCreditsNano: CreditsNano | null;
  /** Rows that may end without their output, as a number or as percent of all rows; null = any. */
  maxFailures: FailureLimit | null;
}

export type FailureLimit = { rows: number } | { percent: number };

/** Why a batch stopped by itself; rows that it did not start have this as their reason. */
export type StopReason = 'budget_reached' | 'too_many_failures';

/** Reads `5` or `10%`; undefined for anything else. */
export function parseFailureLimit(text: string): FailureLimit | undefined {
  const match = /^(\d{1,7})(%?)$/.exec(text);
  if (!match) return undefined;
  const value = Number(match[1]);
  if (match[2] === '') return { rows: value };
  return value <= 100 ? { percent: value } : undefined;
}

/** How a batch shares the account's slots with others. */
export interface SlotTerms {
  /** Simultaneous jobs of the batch; null = as many as the account may have. */
  concurrency: number | null;
  /** Its part of the slots' time beside batches of the same priority, 1 to 100. */
  weight: number;
  /** Before all batches of lower priority, but for a tenth of the slots. */
  priority: number;
}

/** A batch's part of the slots as it stands. */
export interface Share extends SlotTerms {
  /** The slot time that it had for its weight, and is charged with ahead, ms. */
  usedMs: number;
  /** How long its latest jobs of a kind held a slot; absent before the first. */
  usual?: { kind: Kind; ms: number };
  /** When it came, or came back, and when a slot of its came back last; absent in a state of an earlier build. */
  cameMs?: number;
  leftMs?: number;
}

export const DEFAULT_SLOT_TERMS: SlotTerms = { concurrency: null, weight: 1, priority: 0 };

export const WEIGHT_MAX = 100;
/** Priorities go from minus to plus this. */
export const PRIORITY_MAX = 100;

/** How the rows of a batch's manifest stand, as its results say; rows that left the manifest are not counted. */
export interface BatchTally {
  counts: Record<Status, number>;
  /** Rows that have not ended. */
  open: number;
  /** The open rows by what the ledger says of them. */
  live: Partial<Record<LiveWord, number>>;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  /** Rows to be run again that failed.csv leaves out, since nothing could feed them there. */
  orphans?: number;
}
