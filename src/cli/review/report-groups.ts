import { clockText } from '../../books/check/story.js';
import type { CountedAttempts } from '../../books/groups.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';
import { amount } from '../views/counts.js';
import { type Dependents, dependentsJson } from './dependents.js';

/** What a group of one price comes to, as far as the balance tells. */
export interface PricedGroup extends CountedAttempts {
  /** What each member would cost. */
  priceNano: CreditsNano;
}

/** Says of each group what was recorded, or why it cannot be settled yet; `held`: what does not go on by itself. */
export function reportGroups(
  session: Session,
  batch: string,
  groups: readonly PricedGroup[],
  held: readonly string[],
  dependents: readonly Dependents[],
): void {
  const { terminal, isJson } = session;
  if (isJson) {
    terminal.json({
      schema: 1,
      batch,
      command: 'settle-group',
      groups: groups.map(groupJson),
      dependents: dependents.map(batchDependents),
      held,
    });
    return;
  }
  if (groups.length === 0) {
    terminal.note(
      `no rows of '${batch}' can be counted together: that takes lost answers of an exact price, without a handle`,
    );
    return;
  }
  for (const one of groups) {
    if (one.group === undefined) {
      terminal.error(unsettledText(one));
      continue;
    }
    terminal.data(`group ${one.group.id}: ${one.group.sentence}`);
    for (const { batch: of, id, name } of one.members) terminal.data(`  ${of} ${id}: ${verdictOf(one, name)}`);
  }
  const settled = groups
    .flatMap((one) => one.members.map(({ name }) => ({ one, name })))
    .filter(({ one }) => one.group);
  const billed = settled.filter(({ one, name }) => one.group?.billed.includes(name)).length;
  if (settled.length > 0) {
    terminal.data(
      `${amount(settled.length, 'lost answer')} settled: ${billed} billed, ${settled.length - billed} sent again`,
    );
  }
  for (const why of held) terminal.warn(why);
  if (held.length === 0 && groups.some(({ group }) => group !== undefined)) {
    terminal.note(`\`${commandHint(session, `watch ${batch}`)}\` follows what goes on`);
  }
}

function batchDependents(one: Dependents): object {
  return { batch: one.known.batch, ...dependentsJson(one) };
}

function unsettledText({ members, priceNano }: PricedGroup): string {
  const due = Math.max(...members.map(({ t0Ms, dueAfterMs }) => t0Ms + dueAfterMs));
  const when = due > Date.now() ? `; a charge of them can still come until ${clockText(due)}` : '';
  const rows = amount(members.length, 'lost answer');
  return `${rows} at ${formatCredits(priceNano)} credits: the balance does not say how many of them were billed${when}; nothing was changed`;
}

function verdictOf({ group }: PricedGroup, name: string): string {
  if (group === undefined) return 'not settled';
  return group.billed.includes(name) ? 'billed, it ends as lost_paid' : 'not billed, it is sent again';
}

function groupJson(one: PricedGroup): object {
  const { group, members, priceNano } = one;
  return {
    id: group?.id ?? null,
    settled: group !== undefined,
    price: formatCredits(priceNano),
    billed: group?.billed.length ?? null,
    sentence: group?.sentence ?? unsettledText(one),
    rows: members.map(({ batch, id, name }) => ({
      batch,
      id,
      verdict: group === undefined ? null : group.billed.includes(name) ? 'billed' : 'not_billed',
    })),
  };
}
