import { defined } from '../domain/defined.js';
import { REASONS, type ReasonCode } from '../domain/failure.js';
import { formatCredits } from '../domain/money.js';
import { LIVE_WORDS } from '../domain/outcome.js';
import { rowsText } from '../report/html.js';
import type { PageRow } from './answers.js';
import type { BatchRows } from './batch-rows.js';
import { feedersAmong, withDependents } from './page-of-rows.js';
import { type DashboardSource, type LimitsInForce, type Order, OrderRefused } from './source.js';

/** What a person confirms: how many rows an order is about, and what it may cost. */
export interface Quote {
  rows: number;
  /** The most that the order can make the service charge, a decimal string; null where a price is not known. */
  credits: string | null;
  /** What holds now of what an order for limits changes, by the names of its fields; null where nothing limits it. */
  inForce?: LimitsInForce;
  /** Of an approval: the manifest that was counted. The order names it, and is refused where it is another one by then. */
  generation?: string;
}

const FREE = ['pause', 'cancel', 'limits', 'account-limits', 'mark-lost'];
const AGAIN = ['failed', 'cancelled'];
const UNTRIED = ['held', 'not_started'];
/** Every run fetches it, whatever its reason. */
const PENDING: ReasonCode = 'output_pending';
const UNDECIDED: ReasonCode = 'answer_lost_undecided';
/** It found nothing to share, and may have to be rendered by itself. */
const UNSHARED: ReasonCode = 'shared_row_failed';
const LIVE: readonly string[] = LIVE_WORDS;
const OPEN = [...LIVE, 'not_started'];
/** Sent only while their batch runs. */
const UNSENT = ['held', 'waiting', 'not_started'];
const FEEDS = ['done', 'skipped'];

export async function quoteOf(source: DashboardSource, batch: string, all: BatchRows, order: Order): Promise<Quote> {
  const rows = await rowsOfOrder(source, batch, all, order);
  if (order.order === 'limits' || order.order === 'account-limits') {
    const inForce = await source.limits(order.order === 'limits' ? batch : undefined);
    return { rows: rows.length, credits: '0', inForce };
  }
  if (FREE.includes(order.order)) return { rows: rows.length, credits: '0' };
  const paid = rows.filter((row) => (!row.isShared || row.reasonCode === UNSHARED) && !isFetched(row, order));
  const nano = await source.mostOf(batch, new Set(paid.map(({ index }) => index)));
  const credits = nano === null ? null : formatCredits(nano);
  if (order.order !== 'approve') return { rows: rows.length, credits };
  // An approval bounds all that the batch costs, with what it has cost.
  const isBounded = await source.isSpentBounded(batch);
  return { rows: rows.length, credits: isBounded ? credits : null, ...defined({ generation: all.generation }) };
}

function rowsOfOrder(source: DashboardSource, batch: string, all: BatchRows, order: Order): Promise<PageRow[]> {
  switch (order.order) {
    case 'retry':
      return retried(source, batch, all, order);
    case 'resume':
    case 'approve':
      return goingOn(source, batch, all, order);
    case 'resubmit':
    case 'attach-handle':
      return withFollowing(source, batch, all, [order.id]);
    case 'settle-group':
      return withFollowing(
        source,
        batch,
        all,
        all.rows.flatMap(({ id, reasonCode }) => (reasonCode === UNDECIDED ? [id] : [])),
      );
    default:
      return Promise.resolve(rowsOf(all.rows, order));
  }
}

/**
 * Rows that are settled, with what follows them: what can run once they have their output. Nothing follows in a batch that
 * stopped by itself, and nothing beyond a sample whose rest was not approved.
 */
async function withFollowing(
  source: DashboardSource,
  batch: string,
  { rows }: BatchRows,
  ids: readonly string[],
): Promise<PageRow[]> {
  const [mayRun, status] = await Promise.all([source.mayRun(batch), source.status(batch)]);
  const isOver = typeof status?.stopped === 'string';
  const found = new Set(ids);
  const mayFollow = ({ id, status }: PageRow) => UNTRIED.includes(status) && mayRun?.has(id) !== false;
  const left = isOver ? [] : withDependents(rows, ...ids).filter((row) => !found.has(row.id) && mayFollow(row));
  const feederOf = feedersAmong(rows);
  // Also while it is rendered again: what follows waits for that, and is sent.
  const hasOutput = ({ status, files }: PageRow): boolean =>
    FEEDS.includes(status) || (LIVE.includes(status) && files.length > 0);
  const brings = (feeder: PageRow | undefined) => feeder !== undefined && (found.has(feeder.id) || hasOutput(feeder));
  // Once more for each row that stands before what feeds it.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of left) if (row.fed.every((one) => brings(feederOf(one)))) found.add(row.id);
  }
  return rows.filter(({ id }) => found.has(id));
}

/** Orders that pay for rows which nothing else bounds: an approval has its budget, a batch that goes on the one it had. */
const PAYS: readonly Order['order'][] = ['retry', 'rerun', 'resubmit', 'settle-group'];

/** Throws an `OrderRefused` where an order would pay for more than a person agreed to: rows may have ended since. */
export async function refuseMore(
  source: DashboardSource,
  batch: string,
  all: BatchRows,
  order: Order,
  agreed: Pick<Quote, 'rows' | 'credits'>,
): Promise<void> {
  if (!PAYS.includes(order.order)) return;
  const { rows, credits } = await quoteOf(source, batch, all, order);
  const isPriced = credits !== null && agreed.credits !== null;
  const isUnbounded = credits === null && agreed.credits !== null;
  if (isPriced ? Number(credits) <= Number(agreed.credits) : rows <= agreed.rows && !isUnbounded) return;
  const cost = credits === null ? 'at a price that is not known' : `for at most ${credits} credits`;
  throw new OrderRefused(`by now it would be ${rowsText(rows)}, ${cost}: leave it, and give it again for that`);
}

/** It was paid: a retry fetches its output, and the service is asked for a handle that is attached. */
function isFetched({ id, reasonCode }: PageRow, order: Order): boolean {
  if (order.order === 'attach-handle') return order.id === id;
  return order.order === 'retry' && isOutput(reasonCode);
}

function isOutput(reasonCode: string): boolean {
  return reasonCode in REASONS && REASONS[reasonCode as ReasonCode].class === 'output';
}

/**
 * The rows that a retry submits or fetches: those that it takes up, without what a sample holds back and without those of
 * which a feeder brings no output, since they end again as they had. What runs by itself already is not of the order.
 */
async function retried(
  source: DashboardSource,
  batch: string,
  { rows }: BatchRows,
  { reason, acceptInputs }: Extract<Order, { order: 'retry' }>,
): Promise<PageRow[]> {
  const [mayRun, status] = await Promise.all([source.mayRun(batch), source.status(batch)]);
  const given = acceptInputs ? await source.stoppedByInputs(batch) : new Set();
  const feederOf = feedersAmong(rows);
  const known = new Map<string, boolean>();
  // A chain has at most 100 rows: that deep this calls itself.
  const runs = (row: PageRow): boolean => {
    const isKnown = known.get(row.id);
    if (isKnown !== undefined) return isKnown;
    const isMeant = isTakenUp(row, reason) && mayRun?.has(row.id) !== false;
    const isRun = isMeant && row.fed.every((one) => feeds(feederOf(one)));
    known.set(row.id, isRun);
    return isRun;
  };
  const feeds = (feeder: PageRow | undefined): boolean =>
    feeder !== undefined && (FEEDS.includes(feeder.status) || runs(feeder));
  const isIdle = status?.state === 'not running';
  const isOfOrder = (status: string): boolean => !LIVE.includes(status) || (isIdle && UNSENT.includes(status));
  return rows.filter((row) => given.has(row.id) || (isOfOrder(row.status) && runs(row)));
}

/** Whatever reason a retry names, it takes up what was never tried, and what is open goes on. */
function isTakenUp({ status, reasonCode, finishedAtMs }: PageRow, reason: string | undefined): boolean {
  if (OPEN.includes(status) || reasonCode === PENDING) return true;
  if (status === 'cancelled' && finishedAtMs === null) return true;
  const isMendable = AGAIN.includes(status) || isOutput(reasonCode);
  return isMendable && (reason === undefined || reason === (reasonCode || status));
}

/** What a batch submits once it goes on, with the rows of a retry that its budget or its failures kept back. */
async function goingOn(source: DashboardSource, batch: string, { rows }: BatchRows, { order }: Order) {
  const queued = await source.queued(batch);
  // An approval lets through what a sample held back.
  const mayRun = order === 'approve' ? undefined : await source.mayRun(batch);
  const isQueued = ({ id, status }: PageRow): boolean => AGAIN.includes(status) && queued.has(id);
  // What waits for another row is sent by the same order, once that one has ended.
  return rows.filter((row) => mayRun?.has(row.id) !== false && (UNSENT.includes(row.status) || isQueued(row)));
}

type Looked = { order: 'retry' | 'resume' | 'approve' | 'resubmit' | 'attach-handle' | 'settle-group' };

function rowsOf(rows: readonly PageRow[], order: Exclude<Order, Looked>): PageRow[] {
  switch (order.order) {
    case 'rerun':
      // Of what it feeds, that which was rendered: a copy goes with its original, the rest takes the new file anyway.
      return withDependents(rows, order.id).filter(
        ({ id, status, isShared }) => id === order.id || (order.withDependents && status === 'done' && !isShared),
      );
    case 'limits':
    case 'account-limits':
    case 'pause':
    case 'cancel':
      return rows.filter(({ status }) => OPEN.includes(status));
    case 'mark-lost':
      return rows.filter(({ id }) => id === order.id);
  }
}
