import { type BatchLimits, DEFAULT_SLOT_TERMS, type SlotTerms } from '../../domain/batch.js';
import { type CreditsRange, formatCredits } from '../../domain/money.js';
import type { RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { isCancelledBatch, sampleInForce, stoppedReason } from '../../home/batch-marks.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { resultLines } from '../../home/result-lines.js';
import { isRerun, rerunOrder } from '../../home/row-orders.js';
import { type RowContent, rowStanding } from '../../home/row-standing.js';
import { retryFor } from '../../home/run-order.js';
import { knownPrices, listPrice, resultSources } from '../access/home-access.js';
import { commandHint, orderWords } from '../open-session.js';
import { spentBefore } from '../plan/approve-plan.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { approvedLimits, keptRetry, limitsOf } from './batch-terms.js';
import type { KnownBatch } from './known-batch.js';

/** What keeps a batch from going on by `resume`, told before anything is changed: UserErrors with what to do. */

/** Nothing of its sample is left to go on with, and the rest is not what `resume` was asked for. */
export async function refuseSampled({ session, access, batch, generation }: KnownBatch): Promise<void> {
  if ((await sampleInForce(access.home, batch, generation.generation)) === undefined) return;
  throw new UserError(
    `the sample of '${batch}' has ended and the rest waits for your approval: \`${commandHint(session, orderWords('approve', batch))}\` shows what it costs and runs it; nothing was submitted`,
  );
}

/** A budget that leaves room for none of the rows would stop the batch again at once. `before`: what it stopped at. */
export async function refuseSameBudget(
  known: KnownBatch,
  { maxCreditsNano }: BatchLimits,
  before: BatchLimits,
): Promise<void> {
  const { session, access, batch, generation } = known;
  if (maxCreditsNano === null) return;
  const { endedNano, openNano } = await spentBefore(known);
  const never = Number.POSITIVE_INFINITY;
  let least: number | undefined;
  for await (const price of leftPrices(known)) least = Math.min(least ?? never, price?.hi ?? never);
  if (least === undefined || endedNano + openNano + least <= maxCreditsNano) return;
  // The budget that was approved after a sample is raised by another approval alone.
  const unbounded: BatchLimits = { maxCreditsNano: null, maxFailures: null };
  const approved = await approvedLimits(access.home, batch, generation.generation, unbounded);
  const order = approved.maxCreditsNano === null ? 'resume' : 'approve';
  const command = commandHint(session, orderWords(order, batch, '--max-credits <more>'));
  const old = before.maxCreditsNano ?? maxCreditsNano;
  const what = old === maxCreditsNano ? 'which' : `and ${formatCredits(maxCreditsNano)}`;
  const needs = Number.isFinite(least) ? ` (with it ${formatCredits(endedNano + openNano + least)} at least)` : '';
  throw new UserError(
    `'${batch}' stopped at its budget of ${formatCredits(old)} credits, ${what} leaves no room for another row${needs}: \`${command}\` goes on; nothing was submitted`,
  );
}

/** The limits of the command, looked at before anything is started. */
export async function refuseLimits(known: KnownBatch, given: BatchLimits): Promise<void> {
  await refuseAboveApproval(known, given);
  await refuseUnpriced(known, given);
}

/** As `run` refuses it: with a row of unknown price left, any budget would stop the batch at once. */
async function refuseUnpriced(known: KnownBatch, { maxCreditsNano }: BatchLimits): Promise<void> {
  if (maxCreditsNano === null) return;
  let unknown = 0;
  for await (const price of leftPrices(known)) if (price === null || price.hi === null) unknown += 1;
  if (unknown === 0) return;
  throw new UserError(
    `B52 ${amount(unknown, 'row')} of '${known.batch}' ${unknown === 1 ? 'has' : 'have'} no known price, so --max-credits ${formatCredits(maxCreditsNano)} cannot be kept: set \`prices\` for them or leave --max-credits out; nothing was changed`,
  );
}

/** What each row costs that has not ended, was not started before its batch ended, or was ordered again. */
async function* leftPrices(known: KnownBatch): AsyncIterable<CreditsRange | null> {
  const prices = await knownPrices(known);
  for await (const row of leftRows(known)) yield listPrice(row, prices);
}

type Kept = Pick<KnownBatch, 'access' | 'batch'> & { generation: Pick<KnownBatch['generation'], 'generation'> };

/** How many rows are left to whatever goes on with the batch. */
export async function countLeft(known: Kept): Promise<number> {
  let left = 0;
  for await (const row of leftRows(known)) left += row === undefined ? 0 : 1;
  return left;
}

/** While the rest of a sample waits for its approval, the rows of the sample alone are left to go on with. */
async function* leftRows({ access, batch, generation: { generation } }: Kept): AsyncIterable<Row> {
  const { home } = access;
  const sample = await sampleInForce(home, batch, generation);
  const retry = keptRetry(await readBatchOrder(home, batch), generation);
  const rerun = await rerunOrder(home, batch, generation);
  for await (const { row, record, removed } of resultLines(resultSources(access), batch, generation)) {
    if (removed || sample?.has(row.id) === false) continue;
    const content = { hash: row.hash, mayRerun: isRerun(rerun, row.id) };
    const isLeft = record === undefined || record.status === 'not_started' || (await isOrderedAgain(record, content));
    if (isLeft) yield row;
  }

  /** It keeps the record of its end until its next attempt, also where the budget has no room for that. */
  async function isOrderedAgain(record: RowRecord, content: RowContent): Promise<boolean> {
    const order = retryFor(record, retry);
    if (rowStanding(record, null, order, content).ended) return false;
    const standing = rowStanding(record, await access.ledger.read(batch, record.id), order, content);
    return !standing.ended && standing.begins === 'submit';
  }
}

/** It stopped by itself, and going on would run something. */
export async function stoppedEarly(known: KnownBatch): Promise<boolean> {
  const { access, batch, generation } = known;
  if ((await stoppedReason(access.home, batch)) === undefined) return false;
  if ((await sampleInForce(access.home, batch, generation.generation)) === undefined) return true;
  for await (const row of leftRows(known)) return row !== undefined;
  return false;
}

/** More credits than were approved after a sample are asked for again. */
async function refuseAboveApproval(
  { session, access, batch, generation }: KnownBatch,
  given: BatchLimits,
): Promise<void> {
  const { maxCreditsNano } = await approvedLimits(access.home, batch, generation.generation, given);
  if (given.maxCreditsNano === null || given.maxCreditsNano === maxCreditsNano || maxCreditsNano === null) return;
  const flag = `--max-credits ${formatCredits(given.maxCreditsNano)}`;
  const again = commandHint(session, orderWords('approve', batch, flag));
  throw new UserError(
    `'${batch}' was approved for up to ${formatCredits(maxCreditsNano)} credits: \`${again}\` asks again; nothing was submitted`,
  );
}

type ToldBatch = Omit<KnownBatch, 'out' | 'createdAtMs'>;

/** Only a retry takes a cancel back. */
export async function tellCancelStands({ session, access, batch }: ToldBatch) {
  if (!(await isCancelledBatch(access.home, batch))) return;
  session.terminal.warn(
    `'${batch}' was cancelled: what it has at the service is fetched, and nothing else is submitted before \`${commandHint(session, orderWords('retry', batch))}\``,
  );
}

/** Said of `--max-credits` where it does not hold, since less was approved. */
export async function tellApproved({ session, access, batch, generation }: ToldBatch) {
  const given = limitsOf(session);
  if (given.maxCreditsNano === null || !ownLimits(session).includes('--max-credits')) return;
  const { maxCreditsNano } = await approvedLimits(access.home, batch, generation.generation, given);
  if (maxCreditsNano === null || maxCreditsNano >= given.maxCreditsNano) return;
  const command = commandHint(
    session,
    orderWords('approve', batch, `--max-credits ${formatCredits(given.maxCreditsNano)}`),
  );
  session.terminal.warn(
    `'${batch}' may cost ${formatCredits(maxCreditsNano)} credits, as it was approved: \`${command}\` raises that`,
  );
}

/** Said of flags that do not hold, since no row is run with them; `waits`: a sample's rest is to be approved. */
export async function tellUnheld(told: ToldBatch, given: Partial<SlotTerms>, waits: boolean): Promise<void> {
  const { session, access, batch, generation } = told;
  const order = await readBatchOrder(access.home, batch);
  const tell = (flags: string, command: string): void =>
    session.terminal.warn(
      `${flags} changes nothing where no row is run: \`${commandHint(session, command)}\` sets it for what follows`,
    );
  const { origins, config } = session;
  const own = origins.get('limits.concurrency')?.name === 'flag' ? { concurrency: config.limits.concurrency } : {};
  const before = { ...DEFAULT_SLOT_TERMS, ...order?.slots };
  const terms = SLOT_TERMS.map((name) => [name, { ...own, ...given }[name]] as const);
  const unheld = terms.flatMap(([name, to]) => (to == null || to === before[name] ? [] : [`--${name} ${to}`]));
  if (unheld.length > 0) tell(unheld.join(' '), orderWords('limits', batch, unheld.join(' ')));
  if (!ownLimits(session).includes('--max-credits')) return;
  const { maxCreditsNano } = await approvedLimits(access.home, batch, generation.generation, limitsOf(session));
  if (maxCreditsNano === null || order?.limits.maxCreditsNano === maxCreditsNano) return;
  tell(
    '--max-credits',
    orderWords(waits ? 'approve' : 'resume', batch, `--max-credits ${formatCredits(maxCreditsNano)}`),
  );
}

const SLOT_TERMS = ['concurrency', 'weight', 'priority'] as const;

/** Each batch keeps the limits that it was run with: one budget cannot be meant for all of them. */
export function refuseLimitsOfAll(session: Session): void {
  const [flag] = ownLimits(session);
  if (flag === undefined) return;
  throw new UserError(
    `${flag} belongs to one batch: \`callsheet resume <batch> ${flag} …\` goes on with that one; nothing was submitted`,
  );
}

/** The limits of a batch that the command has as flags. */
export function ownLimits({ origins }: Session): string[] {
  return LIMIT_FLAGS.flatMap(([path, flag]) => (origins.get(path)?.name === 'flag' ? [flag] : []));
}

const LIMIT_FLAGS = [
  ['budget.maxCredits', '--max-credits'],
  ['budget.maxFailures', '--max-failures'],
] as const;
