import { countAttempts, isSameCount, recordGroup } from '../../books/groups.js';
import type { Books } from '../../books/open-books.js';
import type { AttemptRef } from '../../domain/attempt.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { refOf } from '../../home/attempts.js';
import { isCancelledBatch } from '../../home/batch-marks.js';
import { recordBooks } from '../access/home-access.js';
import { readOwnDiscounts } from '../access/read-account.js';
import { confirm } from '../ask-person.js';
import { allBatches, type KnownBatch, knownBatch, refuseStrangeHome } from '../batch/known-batch.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { caseRows, type FoundCase, findCase } from './case-row.js';
import { continueRows } from './continue-rows.js';
import {
  alsoText,
  type Dependents,
  dependentsOfOrder,
  followCost,
  recordFollowing,
  refuseOverBudget,
} from './dependents.js';
import type { OrderTerms } from './orders.js';
import { billedOf, type PricedGroup, reportGroups } from './report-order.js';

/**
 * Settles the lost answers of a batch that the balance cannot tell from each other, by their count: what the policy
 * `if-proved` does by itself. Attempts of other batches at the same price belong to the same group. Gives the exit code.
 */
export async function settleGroup(
  session: Session,
  batch: string,
  { isSaidYes, trustsHome, follow }: OrderTerms,
): Promise<number> {
  const { config } = session;
  if (!config.account.exclusive) {
    throw new UserError(
      `account '${config.account.name}' is not declared exclusive (--exclusive), so its balance proves nothing of a group`,
    );
  }
  await session.apiKey();
  const known = await knownBatch(session, batch);
  const books = recordBooks(known.access);
  const groups = await countGroups(books, known);
  const ready = groups.filter(({ group }) => group !== undefined);
  for (const one of new Set([batch, ...groups.flatMap(({ members }) => members.map((member) => member.batch))])) {
    await refuseStrangeHome({ ...known, batch: one }, trustsHome);
  }
  const dependents = await dependentsOfGroups(known, ready, follow);
  if (ready.length > 0) await approve(known, ready, isSaidYes, dependents);
  // What is settled is what was shown: while a person thinks, an answer may come, or the engine settle some by itself.
  if (ready.length > 0 && !isSameCount(groups, await countGroups(books, known))) throw hasChanged(batch);
  for (const one of dependents.values()) await recordFollowing(one);
  const outdone = new Set<PricedGroup>();
  for (const one of ready) if (one.group && !(await recordGroup(books, one.group))) outdone.add(one);
  const settled = groups.filter((one) => !outdone.has(one));
  reportGroups(known, settled, await goOn(known, settled), [...dependents.values()]);
  if (outdone.size > 0) throw hasChanged(batch);
  return ready.length < groups.length ? EXIT.needsPerson : EXIT.done;
}

function hasChanged(batch: string): UserError {
  return new UserError(
    `the lost answers of '${batch}' changed meanwhile: nothing was settled; the same command again counts them anew`,
  );
}

/** The lost answers that the balance cannot tell from those of a batch, by group. */
async function countGroups(books: Books, known: KnownBatch): Promise<PricedGroup[]> {
  const refs = await lostAnswers(known);
  let counted = await countAttempts(books, refs);
  if (counted.some(({ isUnpriced }) => isUnpriced)) {
    await books.discounts.keep(await readOwnDiscounts(known.session));
    counted = await countAttempts(books, refs);
  }
  return counted
    .filter(({ members }) => members.some((one) => one.batch === known.batch))
    .map((one) => ({ ...one, priceNano: one.members[0]?.price?.hi ?? 0 }));
}

/** The last attempts of rows whose answer is lost and that nobody settled, of every batch of the account. */
async function lostAnswers({ session, access }: KnownBatch): Promise<AttemptRef[]> {
  const refs: AttemptRef[] = [];
  for (const known of await allBatches(session, access)) {
    for await (const { batch, row, last, standing } of caseRows(known)) {
      if (last && (standing === 'undecided' || standing === 'open_case')) refs.push({ batch, id: row.id, n: last.n });
    }
  }
  return refs;
}

/** One question for every group that can be settled, with what is sent again. */
async function approve(
  known: KnownBatch,
  ready: readonly PricedGroup[],
  isSaidYes: boolean,
  dependents: ReadonlyMap<string, Dependents>,
): Promise<void> {
  const { cli, terminal } = known.session;
  const rows = ready.reduce((sum, { members }) => sum + members.length, 0);
  const billed = ready.reduce((sum, one) => sum + billedOf(one), 0);
  const costNano = ready.reduce((sum, one) => sum + (one.members.length - billedOf(one)) * one.priceNano, 0);
  const cost = `${formatCredits(costNano)} credits`;
  const elsewhere: string[] = [];
  for (const [batch, prices] of sentAgain(ready)) {
    if (batch !== known.batch) elsewhere.push(await elsewhereText(known, batch, prices.length));
    const stakeNano = prices.reduce((sum, priceNano) => sum + priceNano, 0);
    const fed = dependents.get(batch);
    const what = `${amount(prices.length, 'row')} would be sent again for ${formatCredits(stakeNano)} credits${alsoText(fed)}`;
    const more = fed === undefined ? { stakeNano: 0, unknown: 0 } : followCost(fed);
    const whole = { stakeNano: stakeNano + more.stakeNano, unknown: more.unknown };
    // Until its group is settled each of them counts as billed.
    await refuseOverBudget({ ...known, batch }, { what, cost: whole, unbilledNano: stakeNano });
  }
  const also = [...dependents.values()].map(alsoText).join('');
  const what = `${amount(rows, 'lost answer')}: ${billed} were billed and end as lost_paid, ${rows - billed} were not and are sent again for ${cost}${elsewhere.join('')}${also}`;
  if (isSaidYes) return terminal.note(`settling ${what}`);
  await confirm(cli.io, `Settle ${what}?`, `to settle ${what}, say --yes; nothing was changed`);
}

/** The order was given for one batch: whoever gives it is told of each other one that it sends rows of. */
async function elsewhereText({ access: { home } }: KnownBatch, batch: string, rows: number): Promise<string> {
  const isCancelled = await isCancelledBatch(home, batch);
  return `, ${rows} of them for batch '${batch}'${isCancelled ? ', which was cancelled' : ''}`;
}

/** What the rows that are sent again feed, by batch. */
async function dependentsOfGroups(
  { session, access }: KnownBatch,
  groups: readonly PricedGroup[],
  follow: boolean,
): Promise<Map<string, Dependents>> {
  const found = new Map<string, Dependents>();
  const again = groups.flatMap(({ group, members }) => members.filter(({ name }) => !group?.billed.includes(name)));
  for (const batch of new Set(again.map((one) => one.batch))) {
    const known = await knownBatch(session, batch, access);
    const cases = await casesOf(known, again);
    const rows = cases.map(({ row, ref }) => ({ row, part: ref.part }));
    found.set(batch, await dependentsOfOrder(known, rows, follow));
  }
  return found;
}

async function casesOf(known: KnownBatch, attempts: readonly Pick<AttemptRef, 'batch' | 'id'>[]): Promise<FoundCase[]> {
  const cases: FoundCase[] = [];
  for (const { batch, id } of attempts) if (batch === known.batch) cases.push(await findCase(known, id));
  return cases;
}

/** The prices of the members that were not billed, by batch. */
function sentAgain(groups: readonly PricedGroup[]): Map<string, CreditsNano[]> {
  const byBatch = new Map<string, CreditsNano[]>();
  for (const { group, members, priceNano } of groups) {
    for (const { batch, name } of members) {
      if (group?.billed.includes(name)) continue;
      byBatch.set(batch, [...(byBatch.get(batch) ?? []), priceNano]);
    }
  }
  return byBatch;
}

/**
 * Gives what is to be said of each batch whose rows do not go on yet. All rows of a group do, also those that a command
 * which was cut short had settled.
 */
async function goOn({ session, access }: KnownBatch, groups: readonly PricedGroup[]): Promise<string[]> {
  const held: string[] = [];
  const settled = groups.flatMap(({ group }) => (group?.members ?? []).map(refOf));
  for (const batch of new Set(settled.map((one) => one.batch))) {
    const known = await knownBatch(session, batch, access);
    const why = await continueRows(
      known,
      (await casesOf(known, settled)).map(({ ref }) => ref),
    );
    if (why !== undefined) held.push(why);
  }
  return held;
}
