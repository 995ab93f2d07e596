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
  createdAt: string;
  lastEndedAt: string | null;
  eta: { lowSeconds: number; highSeconds: number; bound: EtaBound | null } | null;
  stopped: string | null;
  blocked: string | null;
  out: string;
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
  /** Null while the rows of a large batch are being read. */
  facets: Record<'status' | 'kind' | 'group' | 'reasonCode', [string, number][]> | null;
  failures: FailureGroup[];
}

export interface Shown {
  standing: string;
  at_stake: string | null;
  handle: string | null;
  attempts: { n: number; states: Record<string, unknown>[] }[];
  commands: { command: string; effect: string; refused: string | null }[];
}

export interface RowFacts {
  row: ShownRow;
  chain: RowChain;
  asked: Record<string, unknown> | null;
  /** As it is sent; null where none can be made. */
  request: { method: string; path: string; body: unknown } | null;
  shown: Shown | null;
  explanation: { code: string; meaning: string; retried: string; billed: string; advice: string } | null;
}
