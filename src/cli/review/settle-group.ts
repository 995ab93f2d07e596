import { countAttempts, isSameCount, recordGroup } from '../../books/groups.js';
import type { Books } from '../../books/open-books.js';
import { type AttemptRef, standingOf } from '../../domain/attempt.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { refOf } from '../../home/attempts.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { recordBooks } from '../access/record-dependencies.js';
import { knownBatch } from '../batch/known-batch.js';
import { refuseOtherHome } from '../batch/same-home.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { caseRows, findCase } from './case-row.js';
import { continueRows } from './continue-rows.js';
import { alsoText, type Dependents, dependentsOfOrder, followCost, recordFollowing } from './dependents.js';
import { allBatches } from './list-cases.js';
import { type PricedGroup, reportGroups } from './report-groups.js';
import { refuseOverBudget } from './room-for.js';

/**
 * Settles the lost answers of a batch that the balance cannot tell from each other, by their count: what the policy
 * `if-proved` does by itself. Attempts of other batches at the same price belong to the same group. Gives the exit code.
 */
export async function settleGroup(
  session: Session,
  batch: string,
  { isSaidYes, trustsHome, follow }: { isSaidYes: boolean; trustsHome: boolean; follow: boolean },
): Promise<number> {
  const { config } = session;
  if (!config.account.exclusive) {
    throw new UserError(
      `account '${config.account.name}' is not declared exclusive (--exclusive), so its balance proves nothing of a group`,
    );
  }
  await session.apiKey();
  const access = openHomeAccess(config);
  await knownBatch(session, access, batch);
  const books = recordBooks(access);
  const groups = await countGroups(books, access, batch);
  const ready = groups.filter(({ group }) => group !== undefined);
  for (const one of new Set([batch, ...groups.flatMap(({ members }) => members.map((member) => member.batch))])) {
    await refuseOtherHome(session, access, one, trustsHome);
  }
  const dependents = await dependentsOfGroups(session, access, ready, follow);
  if (ready.length > 0) await approve(session, access, groups, isSaidYes, dependents);
  // What is settled is what was shown: while a person thinks, an answer may come, or the engine settle some by itself.
  if (ready.length > 0 && !isSameCount(groups, await countGroups(books, access, batch))) throw hasChanged(batch);
  for (const one of dependents.values()) await recordFollowing(access, one);
  const outdone = new Set<PricedGroup>();
  for (const one of ready) if (one.group && !(await recordGroup(books, one.group))) outdone.add(one);
  const settled = groups.filter((one) => !outdone.has(one));
  reportGroups(session, batch, settled, await goOn(session, access, settled), [...dependents.values()]);
  if (outdone.size > 0) throw hasChanged(batch);
  return ready.length < groups.length ? EXIT.needsPerson : EXIT.done;
}

function hasChanged(batch: string): UserError {
  return new UserError(
    `the lost answers of '${batch}' changed meanwhile: nothing was settled; the same command again counts them anew`,
  );
}

/** The lost answers that the balance cannot tell from those of a batch, by group. */
async function countGroups(books: Books, access: HomeAccess, batch: string): Promise<PricedGroup[]> {
  const counted = await countAttempts(books, await lostAnswers(access));
  return counted
    .filter(({ members }) => members.some((one) => one.batch === batch))
    .map((one) => ({ ...one, priceNano: one.members[0]?.price?.hi ?? 0 }));
}

/** The last attempts of rows whose answer is lost and that nobody settled, of every batch of the account. */
async function lostAnswers(access: HomeAccess): Promise<AttemptRef[]> {
  const refs: AttemptRef[] = [];
  for (const known of await allBatches(access)) {
    for await (const { batch, row, attempts } of caseRows(access, known)) {
      const last = attempts.at(-1);
      const standing = last && standingOf(last);
      if (last && (standing === 'undecided' || standing === 'open_case')) refs.push({ batch, id: row.id, n: last.n });
    }
  }
  return refs;
}

/** One question for every group that can be settled, with what is sent again. */
async function approve(
  session: Session,
  access: HomeAccess,
  groups: readonly PricedGroup[],
  isSaidYes: boolean,
  dependents: ReadonlyMap<string, Dependents>,
): Promise<void> {
  const { cli, terminal } = session;
  const ready = groups.filter(({ group }) => group !== undefined);
  const rows = ready.reduce((sum, { members }) => sum + members.length, 0);
  const billed = ready.reduce((sum, one) => sum + billedOf(one), 0);
  const costNano = ready.reduce((sum, one) => sum + (one.members.length - billedOf(one)) * one.priceNano, 0);
  const cost = `${formatCredits(costNano)} credits`;
  for (const [batch, prices] of sentAgain(ready)) {
    const stakeNano = prices.reduce((sum, priceNano) => sum + priceNano, 0);
    const fed = dependents.get(batch);
    const what = `${amount(prices.length, 'row')} would be sent again for ${formatCredits(stakeNano)} credits${alsoText(fed)}`;
    const more = fed === undefined ? { stakeNano: 0, unknown: 0 } : followCost(fed);
    await refuseOverBudget(session, access, {
      ...{ batch, what, cost: { stakeNano: stakeNano + more.stakeNano, unknown: more.unknown } },
      // Until its group is settled each of them counts as billed.
      unbilledNano: stakeNano,
    });
  }
  const also = [...dependents.values()].map(alsoText).join('');
  const what = `${amount(rows, 'lost answer')}: ${billed} were billed and end as lost_paid, ${rows - billed} were not and are sent again for ${cost}${also}`;
  if (isSaidYes) {
    terminal.note(`settling ${what}`);
    return;
  }
  if (!cli.io.isInteractive) throw new UserError(`to settle ${what}, say --yes; nothing was changed`);
  const { askPerson } = await import('../ask-person.js');
  if (!(await askPerson(cli.io, `Settle ${what}?`))) throw new UserError('not confirmed: nothing was changed');
}

/** What the rows that are sent again feed, by batch. */
async function dependentsOfGroups(
  session: Session,
  access: HomeAccess,
  groups: readonly PricedGroup[],
  follow: boolean,
): Promise<Map<string, Dependents>> {
  const found = new Map<string, Dependents>();
  const again = groups.flatMap(({ group, members }) => members.filter(({ name }) => !group?.billed.includes(name)));
  for (const batch of new Set(again.map((one) => one.batch))) {
    const known = await knownBatch(session, access, batch);
    const rows = [];
    for (const { id } of again.filter((one) => one.batch === batch)) {
      const { row, ref } = await findCase(access, known, id);
      rows.push({ row, part: ref.part });
    }
    found.set(batch, await dependentsOfOrder(session, access, known, rows, follow));
  }
  return found;
}

function billedOf({ group, members }: PricedGroup): number {
  return members.filter(({ name }) => group?.billed.includes(name)).length;
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
async function goOn(session: Session, access: HomeAccess, groups: readonly PricedGroup[]): Promise<string[]> {
  const held: string[] = [];
  const settled = groups.flatMap(({ group }) => (group?.members ?? []).map(refOf));
  for (const batch of new Set(settled.map((one) => one.batch))) {
    const known = await knownBatch(session, access, batch);
    const refs = [];
    for (const { id } of settled.filter((one) => one.batch === batch)) {
      refs.push((await findCase(access, known, id)).ref);
    }
    const why = await continueRows(session, { batch, refs, generation: known.generation });
    if (why !== undefined) held.push(why);
  }
  return held;
}
