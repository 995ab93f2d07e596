import { type CountedAttempts, countAttempts, recordGroup } from '../../activities/settle-group.js';
import { type AttemptRef, standingOf } from '../../domain/attempt.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { recordDependencies } from '../access/record-dependencies.js';
import { knownBatch } from '../batch/known-batch.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { caseRows, findCase } from './case-row.js';
import { continueRows } from './continue-rows.js';
import { allBatches } from './list-cases.js';
import { reportGroups } from './report-groups.js';

/** What a group of one price comes to, as far as the balance tells. */
export interface PricedGroup extends CountedAttempts {
  /** What each member would cost. */
  priceNano: CreditsNano;
}

/**
 * Settles the lost answers of a batch that the balance cannot tell from each other, by their count: what the policy
 * `if-proved` does by itself. Attempts of other batches at the same price belong to the same group. Gives the exit code.
 */
export async function settleGroup(session: Session, batch: string, isSaidYes: boolean): Promise<number> {
  const { config } = session;
  if (!config.account.exclusive) {
    throw new UserError(
      `account '${config.account.name}' is not declared exclusive (--exclusive), so its balance proves nothing of a group`,
    );
  }
  await session.apiKey();
  const access = openHomeAccess(config);
  await knownBatch(session, access, batch);
  const deps = recordDependencies(access);
  const counted = await countAttempts(deps, await lostAnswers(access));
  const groups: PricedGroup[] = counted
    .filter(({ members }) => members.some((one) => one.batch === batch))
    .map((one) => ({ ...one, priceNano: one.members[0]?.price?.hi ?? 0 }));
  const ready = groups.flatMap(({ group, priceNano }) => (group === undefined ? [] : [{ group, priceNano }]));
  if (ready.length > 0) await approve(session, groups, isSaidYes);
  for (const { group } of ready) await recordGroup(deps, group);
  await goOn(session, access, groups);
  reportGroups(session, batch, groups);
  return ready.length < groups.length ? EXIT.needsPerson : EXIT.done;
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
async function approve(session: Session, groups: readonly PricedGroup[], isSaidYes: boolean): Promise<void> {
  const { config, cli, terminal } = session;
  const ready = groups.filter(({ group }) => group !== undefined);
  const rows = ready.reduce((sum, { members }) => sum + members.length, 0);
  const billed = ready.reduce((sum, { group }) => sum + (group?.billed.length ?? 0), 0);
  const costNano = ready.reduce((sum, { members, group, priceNano }) => {
    return sum + (members.length - (group?.billed.length ?? 0)) * priceNano;
  }, 0);
  const { maxCredits } = config.budget;
  const cost = `${formatCredits(costNano)} credits`;
  if (maxCredits !== null && costNano > maxCredits) {
    throw new UserError(
      `B52 ${rows - billed} rows would be sent again for ${cost}, and --max-credits is ${formatCredits(maxCredits)}`,
    );
  }
  const what = `${amount(rows, 'lost answer')}: ${billed} were billed and end as lost_paid, ${rows - billed} were not and are sent again for ${cost}`;
  if (isSaidYes) {
    terminal.note(`settling ${what}`);
    return;
  }
  if (!cli.io.isInteractive) throw new UserError(`to settle ${what}, say --yes; nothing was changed`);
  const { askPerson } = await import('../ask-person.js');
  if (!(await askPerson(cli.io, `Settle ${what}?`))) throw new UserError('not confirmed: nothing was changed');
}

async function goOn(session: Session, access: HomeAccess, groups: readonly PricedGroup[]): Promise<void> {
  const settled = groups.flatMap(({ group, members }) => (group === undefined ? [] : members));
  for (const batch of new Set(settled.map((one) => one.batch))) {
    const known = await knownBatch(session, access, batch);
    const refs = [];
    for (const { id } of settled.filter((one) => one.batch === batch)) {
      refs.push((await findCase(access, known, id)).ref);
    }
    await continueRows(session, refs, known.generation);
  }
}
