import { isKnownUnbilled, standingOf } from '../../domain/attempt.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { isCancelledBatch, sampleInForce, stoppedReason } from '../../home/batch-marks.js';
import { feedersOf } from '../../home/feeders.js';
import { orderFollowers } from '../../home/row-orders.js';
import type { HomeAccess } from '../access/home-access.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { dependentsOf, type PlacedRow } from '../batch/rerun-rows.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type CaseSum, sumText } from './case-list.js';
import { rowsCost } from './rows-cost.js';

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
