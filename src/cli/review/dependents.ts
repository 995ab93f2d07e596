import { spentOf } from '../../../activities/budget.js';
import { fedRow, feedersOf } from '../../../activities/feeders.js';
import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { rowPrice, withFollowUp } from '../../books/prices/row-price.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { isKnownUnbilled, standingOf } from '../../domain/standing.js';
import { isCancelledBatch, sampleInForce, stoppedReason } from '../../home/batch-marks.js';
import { orderFollowers } from '../../home/row-orders.js';
import { type HomeAccess, knownPrices } from '../access/home-access.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { dependentsOf, type PlacedRow } from '../batch/rerun-rows.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type CaseSum, sumOf, sumText } from './case-list.js';

/** What the rows of an order feed and that can run once their output is there: it is asked for with its cost. */
export interface Dependents {
  known: KnownBatch;
  rows: readonly Row[];
  cost: CaseSum;
  /** False with `--no-dependents`: they are left alone. */
  follow: boolean;
}

const NAMED_MAX = 5;

/** After a cancel, and in a batch that stopped by itself, nothing follows before the batch itself is ordered again. */
export async function dependentsOfOrder(
  session: Session,
  access: HomeAccess,
  known: KnownBatch,
  settled: readonly PlacedRow[],
  follow: boolean,
): Promise<Dependents> {
  const { batch, generation } = known;
  const isOver =
    (await isCancelledBatch(access.home, batch)) || (await stoppedReason(access.home, batch)) !== undefined;
  const rows = isOver ? [] : await runnable(access, known, settled);
  const sample = await sampleInForce(access.home, batch, generation.generation);
  const meant = rows.filter(({ id }) => sample?.has(id) !== false);
  return { known, rows: meant, cost: await rowsCost(session, access, known, meant), follow };
}

/** Those that were never paid and whose other feeders are done or follow as well. */
async function runnable(access: HomeAccess, known: KnownBatch, settled: readonly PlacedRow[]): Promise<Row[]> {
  const { batch } = known;
  const { generation } = known.generation;
  const brings = new Set(settled.map(({ row }) => row.id));
  const left = new Map<number, Row>();
  for (const one of settled) {
    for (const { row } of await dependentsOf(access, known, one)) {
      if (!brings.has(row.id) && (await isUntried(access, batch, row.id))) left.set(row.index, row);
    }
  }
  const found: Row[] = [];
  for (let before = -1; before !== found.length; ) {
    before = found.length;
    for (const [index, row] of left) {
      const feeders = await feedersOf(access, { batch, generation }, row);
      if (!feeders.every(({ file, media }) => file !== undefined || brings.has(media.id))) continue;
      left.delete(index);
      brings.add(row.id);
      found.push(row);
    }
  }
  return found.sort((a, b) => a.index - b.index);
}

async function isUntried({ ledger, records }: HomeAccess, batch: string, id: string): Promise<boolean> {
  const record = await records.readRecord(batch, id);
  if (record !== undefined && record.status !== 'not_started') return false;
  return (await ledger.read(batch, id)).every((attempt) => isKnownUnbilled(standingOf(attempt)));
}

/** `3 rows that it feeds follow (edit, clip, film), up to 1.2 credits`; undefined where none follows. */
export function followText({ rows, cost, follow }: Dependents): string | undefined {
  if (!follow || rows.length === 0) return undefined;
  const names = rows.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = rows.length > names.length ? ', …' : '';
  const price = cost.unknown === cost.rows ? 'at a price that nobody knows' : `up to ${sumText(cost)}`;
  const what = amount(rows.length, 'row that is fed by it follows', 'rows that are fed by it follow');
  return `${what} (${names.join(', ')}${more}), ${price}`;
}

/** Behind what an order costs by itself. */
export function alsoText(dependents: Dependents | undefined): string {
  const text = dependents && followText(dependents);
  return text === undefined ? '' : `; ${text} (--no-dependents leaves them)`;
}

/** As `run` asks: above the bound, where a price is not known, and not where a budget bounds it. */
export async function approveFollowing(session: Session, dependents: Dependents, isSaidYes: boolean): Promise<void> {
  const text = followText(dependents);
  if (text === undefined) return;
  const { cost } = dependents;
  const { maxCredits, askAbove } = session.config.budget;
  const isCheap = cost.unknown === 0 && cost.stakeNano <= askAbove;
  if (isSaidYes || isCheap || maxCredits !== null) {
    session.terminal.note(`${text}; --no-dependents leaves them`);
    return;
  }
  if (!session.cli.io.isInteractive) {
    throw new UserError(`${text}: say --yes, or --no-dependents to leave them; nothing was changed`);
  }
  const { askPerson } = await import('../ask-person.js');
  if (await askPerson(session.cli.io, `${text}. Let them follow? (--no-dependents leaves them)`)) return;
  throw new UserError('not confirmed: nothing was changed');
}

/** In the home before the settled rows go on, so that whoever brings their output knows. */
export async function recordFollowing({ home }: HomeAccess, { known, rows, follow }: Dependents): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await orderFollowers(home, known.batch, ids, follow ? 'starts' : 'stays');
}

/** What the rows that follow add to an order. */
export function followCost({ cost, follow }: Dependents): { stakeNano: CreditsNano; unknown: number } {
  return follow ? cost : { stakeNano: 0, unknown: 0 };
}

export function dependentsJson({ rows, cost, follow }: Dependents): object {
  const credits = cost.unknown > 0 ? null : formatCredits(cost.stakeNano);
  return { rows: rows.map(({ id }) => id), credits, follow: follow && rows.length > 0 };
}

/** The most that another attempt of each row costs, with the files that feed it as far as they are there. */
export async function rowsCost(
  session: Session,
  access: HomeAccess,
  { batch, generation: { generation } }: KnownBatch,
  rows: readonly Row[],
): Promise<CaseSum> {
  const prices = await knownPrices(session, access, batch);
  const stakes: { stakeNano: CreditsNano | null }[] = [];
  for (const one of rows) {
    const row = fedRow(one, await feedersOf(access, { batch, generation }, one));
    stakes.push({ stakeNano: withFollowUp(row, rowPrice(row, prices, LIST_PRICE_PPB))?.hi ?? null });
  }
  return sumOf(stakes);
}

/** Rows of one batch that would be sent again. */
export interface SentAgain {
  batch: string;
  /** `2 rows would be sent again for 0.8 credits`. */
  what: string;
  cost: Pick<CaseSum, 'stakeNano' | 'unknown'>;
  /** What counted as spent until now and was not billed. */
  unbilledNano: CreditsNano;
  /** What the batch may cost by its own order; the lower of both holds. */
  limitNano?: CreditsNano | null | undefined;
}

/** Throws a UserError (`B52`) where a batch would cost more than --max-credits, with what it has spent before. */
export async function refuseOverBudget(session: Session, access: HomeAccess, again: SentAgain): Promise<void> {
  const limits = [session.config.budget.maxCredits, again.limitNano ?? null].filter((limit) => limit !== null);
  if (limits.length === 0) return;
  const maxCredits = Math.min(...limits);
  const spent = await spentOf(access, again.batch, () => knownPrices(session, access, again.batch));
  const beforeNano = Math.max(0, spent.endedNano + spent.openNano - again.unbilledNano);
  const isUnknown = again.cost.unknown > 0 || spent.unbounded > 0;
  if (!isUnknown && beforeNano + again.cost.stakeNano <= maxCredits) return;
  const earlier = beforeNano === 0 ? '' : ` beside ${formatCredits(beforeNano)} of the batch before`;
  const isOrdered = maxCredits !== session.config.budget.maxCredits;
  const whose = isOrdered
    ? `the batch's budget is ${formatCredits(maxCredits)}: \`callsheet resume ${again.batch} --max-credits <n>\` raises it`
    : `--max-credits is ${formatCredits(maxCredits)}`;
  throw new UserError(`B52 ${again.what}${earlier}, and ${whose}`);
}
