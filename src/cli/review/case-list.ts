import { REASONS } from '../../domain/failure.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { type CaseRow, stakeOf } from './case-row.js';

/** Rows that need a person, with the money at stake: for `review list` and the end of a batch. Pure. */
export interface ListedCase {
  batch: string;
  id: string;
  /** `review`, `lost_paid`, or `checking` while the credits check goes on. */
  status: 'review' | 'lost_paid' | 'checking';
  reasonCode: string | undefined;
  reason: string | undefined;
  stakeNano: CreditsNano | null;
}

export interface CaseSum {
  rows: number;
  stakeNano: CreditsNano;
  /** Rows without a known price. */
  unknown: number;
}

export function listedCase(found: CaseRow): ListedCase {
  const { batch, row, record } = found;
  const status = record?.status === 'review' || record?.status === 'lost_paid' ? record.status : 'checking';
  return {
    batch,
    id: row.id,
    status,
    reasonCode: record?.reasonCode,
    reason: record?.reason,
    stakeNano: stakeOf(found),
  };
}

export function sumOf(cases: Iterable<Pick<ListedCase, 'stakeNano'>>): CaseSum {
  const sum: CaseSum = { rows: 0, stakeNano: 0, unknown: 0 };
  for (const { stakeNano } of cases) {
    sum.rows += 1;
    if (stakeNano === null) sum.unknown += 1;
    else sum.stakeNano += stakeNano;
  }
  return sum;
}

export function stakeText(stakeNano: CreditsNano | null): string {
  return stakeNano === null ? 'unknown' : formatCredits(stakeNano);
}

/** `0.8 credits`, with the rows whose price nobody knows. */
export function sumText({ stakeNano, unknown }: CaseSum): string {
  if (unknown === 0) return `${formatCredits(stakeNano)} credits`;
  const rows = unknown === 1 ? '1 row' : `${unknown} rows`;
  return `${formatCredits(stakeNano)} credits and ${rows} of unknown price`;
}

/** Why it needs a person, in a sentence. */
export function reasonSentence({ status, reasonCode }: ListedCase): string {
  if (status === 'checking') return 'The answer to its submit was lost; the credits check goes on.';
  const facts = reasonCode !== undefined && reasonCode in REASONS ? REASONS[reasonCode as keyof typeof REASONS] : null;
  return facts?.meaning ?? 'The reason is not recorded.';
}

export function caseJson({ batch, id, status, reasonCode, reason, stakeNano }: ListedCase): object {
  return {
    batch,
    id,
    status,
    reason_code: reasonCode ?? null,
    reason: reason ?? null,
    at_stake: stakeNano === null ? null : formatCredits(stakeNano),
  };
}
