import { REASONS, type ReasonCode } from '../domain/failure.js';
import { formatCredits } from '../domain/money.js';
import type { PageRow } from './answers.js';
import type { BatchRows } from './batch-rows.js';
import { withDependents } from './page-of-rows.js';
import type { DashboardSource, Order } from './source.js';

/** What a person confirms: how many rows an order is about, and what it may cost. */
export interface Quote {
  rows: number;
  /** The most that the order can make the service charge, a decimal string; null where a price is not known. */
  credits: string | null;
}

const FREE = ['pause', 'cancel', 'limits', 'account-limits', 'mark-lost'];
const AGAIN = ['failed', 'cancelled'];
const UNTRIED = ['held', 'not_started'];
const UNDECIDED: ReasonCode = 'answer_lost_undecided';
const OPEN = ['waiting', 'submitting', 'rendering', 'checking', 'downloading', 'not_started'];

export async function quoteOf(source: DashboardSource, batch: string, all: BatchRows, order: Order): Promise<Quote> {
  const rows = rowsOf(all.rows, order);
  if (FREE.includes(order.order)) return { rows: rows.length, credits: '0' };
  const paid = rows.filter((row) => !row.isShared && !isFetched(row, order));
  const nano = await source.mostOf(batch, new Set(paid.map(({ index }) => index)));
  return { rows: rows.length, credits: nano === null ? null : formatCredits(nano) };
}

/** It was paid: a retry fetches its output, and the service is asked for a handle that is attached. */
function isFetched({ id, reasonCode }: PageRow, order: Order): boolean {
  if (order.order === 'attach-handle') return order.id === id;
  return order.order === 'retry' && isOutput(reasonCode);
}

function isOutput(reasonCode: string): boolean {
  return reasonCode in REASONS && REASONS[reasonCode as ReasonCode].class === 'output';
}

/** Whatever reason a retry names, it also starts what was not started; what a sample holds back has no reason. */
function isRetried({ status, reasonCode }: PageRow, reason: string | undefined): boolean {
  if (status === 'not_started') return reasonCode !== '';
  return (reason === undefined || reason === reasonCode) && (AGAIN.includes(status) || isOutput(reasonCode));
}

function rowsOf(rows: readonly PageRow[], order: Order): PageRow[] {
  switch (order.order) {
    case 'retry':
      return rows.filter((row) => isRetried(row, order.reason));
    case 'approve':
      return rows.filter(({ status }) => status === 'not_started');
    case 'rerun':
      return order.withDependents ? withDependents(rows, order.id) : rows.filter(({ id }) => id === order.id);
    case 'limits':
    case 'account-limits':
    case 'pause':
    case 'cancel':
      return rows.filter(({ status }) => OPEN.includes(status));
    case 'resume':
      return rows.filter(({ status }) => status === 'waiting' || status === 'not_started');
    case 'resubmit':
    case 'attach-handle':
      return withDependents(rows, order.id).filter(({ id, status }) => id === order.id || UNTRIED.includes(status));
    case 'settle-group': {
      const lost = rows.filter(({ reasonCode }) => reasonCode === UNDECIDED).map(({ id }) => id);
      return withDependents(rows, ...lost).filter(({ id, status }) => lost.includes(id) || UNTRIED.includes(status));
    }
    case 'mark-lost':
      return rows.filter(({ id }) => id === order.id);
  }
}
