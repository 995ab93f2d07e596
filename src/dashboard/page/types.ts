// What the server's answers look like that the command line's own JSON makes up.
import type { RowChain, ShownRow } from '../answers';

export type EtaBound = 'slots' | 'requests' | 'credits' | 'longest_job' | 'chains';

export interface Status {
  batch: string;
  state: string;
  rows: number;
  counts: Record<string, number>;
  live: Record<string, number>;
  needPerson: number;
  credits: string | null;
  creditsUnknown: number;
  creditsExpected: string | null;
  createdAt: string;
  lastEndedAt: string | null;
  eta: { lowSeconds: number; highSeconds: number; bound: EtaBound | null } | null;
  stopped: 'budget_reached' | 'too_many_failures' | null;
  sample: 'waiting' | 'approved' | null;
  blocked: string | null;
  /** What feeds rows came after they had ended. */
  waitsForRetry: boolean;
  /** What only a person's order goes on with; absent where nothing is. */
  left?: object;
  /** What has not arrived, and what never will; absent where nothing is. */
  notices?: { waiting: { type: string }[]; dropped: { type: string }[] };
  out: string;
  /** The command that a person would give next. */
  next: string;
}

export interface Overview {
  account: string;
  isServed: boolean;
  blocked: string | null;
  balance: { credits: number; atMs: number } | null;
  batches: Status[];
  failed?: string;
}

export interface FailureGroup {
  status: string;
  reasonCode?: string;
  reason?: string;
  count: number;
  ids: string[];
}

export interface Batch {
  status: Status;
  /** What its sample said of the rest that waits, line by line. */
  quote: [name: string, text: string][];
  /** Null while the rows of a large batch are being read. */
  facets: Record<'status' | 'kind' | 'group' | 'reasonCode', [string, number][]> | null;
  failures: FailureGroup[];
  /** What is shown of its rows is read anew just now. */
  isBehind: boolean;
}

/** Credits as decimals; null where a bound is not known. */
export interface Range {
  from: string | null;
  to: string | null;
}

interface Reading {
  at: string;
  credits: string;
}

/** What the balance tells of the last attempt. */
export interface Evidence {
  balance_before: Reading;
  balance_after: Reading;
  fell_by: string;
  others: Range & { attempts: number };
  missing: Range;
  price: Range;
  other_lost_answers: number;
  not_billed_known_from: string;
}

export interface Shown {
  standing: string;
  at_stake: string | null;
  handle: string | null;
  attempts: { n: number; states: Record<string, unknown>[] }[];
  /** Null where the balance was not read both before the submit and after it. */
  evidence: Evidence | null;
  /** Around the last attempt. */
  balance: Reading[];
  resubmit_cost: string | null;
  commands: { command: string; effect: string; refused: string | null }[];
}

export interface RowFacts {
  row: ShownRow;
  chain: RowChain;
  /** Why it was not sent, as far as that lies in its batch. */
  waits: string | null;
  asked: Record<string, unknown> | null;
  /** As it is sent; null where none can be made. */
  request: { method: string; path: string; body: unknown } | null;
  shown: Shown | null;
  /** Of its reason and of each of its flags. */
  explanations: { code: string; meaning: string; retried: string; billed: string; advice: string }[];
}
