import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { isKnownUnbilled, standingOf } from '../../domain/standing.js';
import { isCancelledBatch, sampleInForce, stoppedReason } from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { fedRow, feedersOf } from '../../home/feeders.js';
import { orderFollowers } from '../../home/row-orders.js';
import { knownPrices, listPrice } from '../access/home-access.js';
import { confirm } from '../ask-person.js';
import { approvedLimits, givePrices, goingLimits } from '../batch/batch-terms.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { commandHint, orderWords } from '../open-session.js';
import { spentBefore } from '../plan/approve-plan.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type CaseSum, costText, sumOf } from './case-list.js';
import { dependentsOf, type PlacedRow } from './case-row.js';

/** What the rows of an order feed and that can run once their output is there: it is asked for with its cost. */
export interface Dependents {
  known: KnownBatch;
  rows: readonly Row[];
  cost: CaseSum;
  /** False with `--no-dependents`: they are left alone. */
  follow: boolean;
}

const NAMED_MAX = 5;

/**
 * After a cancel, and in a batch that stopped by itself, nothing follows before the batch itself is ordered again; what
 * is to be left alone is left alone then, too.
 */
export async function dependentsOfOrder(
  known: KnownBatch,
  settled: readonly PlacedRow[],
  follow: boolean,
): Promise<Dependents> {
  const { access, batch, generation } = known;
  const isOver =
    (await isCancelledBatch(access.home, batch)) || (await stoppedReason(access.home, batch)) !== undefined;
  const rows = isOver && follow ? [] : await runnable(known, settled);
  const sample = await sampleInForce(access.home, batch, generation.generation);
  const meant = rows.filter(({ id }) => sample?.has(id) !== false);
  return { known, rows: meant, cost: await rowsCost(known, meant), follow };
}

/** Those that were never paid and whose other feeders are done or follow as well. */
async function runnable(known: KnownBatch, settled: readonly PlacedRow[]): Promise<Row[]> {
  const brings = new Set(settled.map(({ row }) => row.id));
  const left = new Map<number, Row>();
  for (const one of settled) {
    for (const { row } of await dependentsOf(known, one)) {
      if (!brings.has(row.id) && (await isUntried(known, row.id))) left.set(row.index, row);
    }
  }
  const found: Row[] = [];
  for (let before = -1; before !== found.length; ) {
    before = found.length;
    for (const [index, row] of left) {
      const feeders = await feeding(known, row);
      if (!feeders.every(({ file, row: feeding, media }) => file !== undefined || brings.has(feeding?.id ?? media.id)))
        continue;
      left.delete(index);
      brings.add(row.id);
      found.push(row);
    }
  }
  return found.sort((a, b) => a.index - b.index);
}

function feeding({ access, batch, generation: { generation } }: KnownBatch, row: Row) {
  return feedersOf(access, { batch, generation }, row);
}

async function isUntried({ access: { ledger, records }, batch }: KnownBatch, id: string): Promise<boolean> {
  const record = await records.readRecord(batch, id);
  if (record !== undefined && record.status !== 'not_started') return false;
  return (await ledger.read(batch, id)).every((attempt) => isKnownUnbilled(standingOf(attempt)));
}

/** The most that another attempt of each row costs, with the files that feed it as far as they are there. */
export async function rowsCost(known: KnownBatch, rows: readonly Row[]): Promise<CaseSum> {
  const prices = await knownPrices(known);
  const stakes: { stakeNano: CreditsNano | null }[] = [];
  for (const row of rows) {
    stakes.push({ stakeNano: listPrice(fedRow(row, await feeding(known, row)), prices)?.hi ?? null });
  }
  return sumOf(stakes);
}

/** `3 rows that it feeds follow (edit, clip, film), up to 1.2 credits`; undefined where none follows. */
function followText({ rows, cost, follow }: Dependents): string | undefined {
  if (!follow || rows.length === 0) return undefined;
  const names = rows.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = rows.length > names.length ? ', …' : '';
  const what = amount(rows.length, 'row that is fed by it follows', 'rows that are fed by it follow');
  return `${what} (${names.join(', ')}${more}), ${costText(cost)}`;
}

/** Behind what an order costs by itself. */
export function alsoText(dependents: Dependents | undefined): string {
  const text = dependents && followText(dependents);
  return text === undefined ? '' : `; ${text} (--no-dependents leaves them)`;
}

/**
 * As `run` asks: above the bound, where a price is not known, and not where a budget bounds it. What follows has to fit
 * into the budget of the batch, and into the one of this command.
 */
export async function approveFollowing(dependents: Dependents, isSaidYes: boolean): Promise<void> {
  const text = followText(dependents);
  if (text === undefined) return;
  const { cost, known } = dependents;
  const { config, terminal, cli } = known.session;
  const what = `${text} (--no-dependents leaves them)`;
  await refuseOverBudget(known, { what, cost, unbilledNano: 0 });
  const { maxCredits, askAbove } = config.budget;
  const isCheap = cost.unknown === 0 && cost.stakeNano <= askAbove;
  if (isSaidYes || isCheap || maxCredits !== null) return terminal.note(`${text}; --no-dependents leaves them`);
  const alone = `${text}: say --yes, or --no-dependents to leave them; nothing was changed`;
  await confirm(cli.io, `${text}. Let them follow? (--no-dependents leaves them)`, alone);
}

/** In the home before the settled rows go on, so that whoever brings their output knows. */
export async function recordFollowing({ known, rows, follow }: Dependents): Promise<void> {
  const ids = rows.map(({ id }) => id);
  if (follow && ids.length > 0) await givePrices(known);
  await orderFollowers(known.access.home, known.batch, ids, follow ? 'starts' : 'stays');
}

/** What the rows that follow add to an order. */
export function followCost({ cost, follow }: Dependents): Pick<CaseSum, 'stakeNano' | 'unknown'> {
  return follow ? cost : { stakeNano: 0, unknown: 0 };
}

export function dependentsJson({ rows, cost, follow }: Dependents): object {
  const credits = cost.unknown > 0 ? null : formatCredits(cost.stakeNano);
  return { rows: rows.map(({ id }) => id), credits, follow: follow && rows.length > 0 };
}

/** Rows of one batch that would be sent again. */
interface SentAgain {
  /** `2 rows would be sent again for 0.8 credits`. */
  what: string;
  cost: Pick<CaseSum, 'stakeNano' | 'unknown'>;
  /** What counted as spent until now and was not billed. */
  unbilledNano: CreditsNano;
}

/**
 * Throws a UserError (`B52`) where a batch would cost more than its own budget or --max-credits, with what it has spent
 * before: no order pays beyond either.
 */
export async function refuseOverBudget(known: KnownBatch, again: SentAgain): Promise<void> {
  const ordered = (await readBatchOrder(known.access.home, known.batch))?.limits;
  const own = goingLimits(known.session, ordered).maxCreditsNano;
  const limits = [own, ordered?.maxCreditsNano ?? null].filter((limit) => limit !== null);
  if (limits.length === 0) return;
  const maxCredits = Math.min(...limits);
  const spent = await spentBefore(known);
  const beforeNano = Math.max(0, spent.endedNano + spent.openNano - again.unbilledNano);
  if (again.cost.unknown > 0 || spent.unbounded > 0) {
    const budget = `${maxCredits === own ? '--max-credits' : "the batch's budget of"} ${formatCredits(maxCredits)}`;
    const before = amount(spent.unbounded, 'attempt of this batch had', 'attempts of this batch had');
    const why = again.cost.unknown > 0 ? 'set `prices` for what is paid again' : `${before} no known price`;
    throw new UserError(`B52 ${again.what}, and ${budget} cannot be kept: ${why}; nothing was changed`);
  }
  if (beforeNano + again.cost.stakeNano <= maxCredits) return;
  const earlier = beforeNano === 0 ? '' : ` beside ${formatCredits(beforeNano)} of the batch before`;
  const raising = orderWords(
    await raisingOrder(known, beforeNano + again.cost.stakeNano),
    known.batch,
    '--max-credits <n>',
  );
  const whose =
    maxCredits === own
      ? `--max-credits is ${formatCredits(maxCredits)}: give a higher one`
      : `the batch's budget is ${formatCredits(maxCredits)}: \`${commandHint(known.session, raising)}\` raises it`;
  throw new UserError(`B52 ${again.what}${earlier}, and ${whose}; nothing was changed`);
}

/** More than was approved after a sample is approved again. */
async function raisingOrder({ access, batch, generation }: KnownBatch, toNano: CreditsNano): Promise<string> {
  const wished = { maxCreditsNano: toNano, maxFailures: null };
  const held = await approvedLimits(access.home, batch, generation.generation, wished);
  return held.maxCreditsNano === toNano ? 'resume' : 'approve';
}
