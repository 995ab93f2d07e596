import type { Attempt, AttemptRef } from '../domain/attempt.js';
import { hasJob, isLost, standingOf } from '../domain/standing.js';
import { nameOf, refOf, resultState } from '../home/attempts.js';
import type { Group } from '../home/verdicts.js';
import type { Books } from './open-books.js';

/** Which members of a group count as billed is a label: a job of another one that turns up was counted with them. */

type Sources = Pick<Books, 'groups' | 'ledger'>;

/**
 * Of the groups of these attempts: the labels that stand for jobs which turned up as those of other members. What such a
 * job cost is entered as its own, so the label has cost nothing; a label whose own job turned up is none of them.
 */
export async function spentLabels(books: Sources, names: ReadonlySet<string>): Promise<Set<string>> {
  const spent = new Set<string>();
  if (names.size === 0) return spent;
  for await (const group of books.groups.all()) {
    if (group.billed.some((name) => names.has(name))) {
      for (const name of await spentIn(books, group)) spent.add(name);
    }
  }
  return spent;
}

async function spentIn(books: Sources, group: Group): Promise<string[]> {
  const { lost, others } = await labelsIn(books, group);
  const turnedUp = others.filter(({ attempt }) => resultState(attempt)).length;
  return turnedUp === 0 ? [] : lost.slice(-turnedUp).map(({ name }) => name);
}

export interface Member {
  name: string;
  attempt: Attempt;
}

/**
 * What counts as billed in a group now, and `others`, which do not: a label whose bill came back is one no longer. `lost`:
 * the labels whose own job did not turn up, the one with the weakest evidence last.
 */
export async function labelsIn(
  { ledger }: Pick<Sources, 'ledger'>,
  { members, billed }: Group,
): Promise<{ lost: Member[]; others: Member[] }> {
  const lost: Member[] = [];
  const others: Member[] = [];
  for (const name of [...billed, ...members.filter((member) => !billed.includes(member))]) {
    const attempt = await ledger.readAttempt(refOf(name));
    if (attempt === undefined) continue;
    if (!billed.includes(name) || verdictOf(attempt) === 'not_billed') others.push({ name, attempt });
    else if (isLost(standingOf(attempt))) lost.push({ name, attempt });
  }
  return { lost, others };
}

/** True of an attempt whose verdict was a number of several. */
export function isGrouped({ states }: Attempt): boolean {
  return states.some((state) => state.state === 'verdict' && state.group !== undefined);
}

/** True where the count was wrong of a group in which an attempt of the row was found not billed, and has a job. */
export async function isMiscountedRow(
  books: Sources,
  { batch, id }: Pick<AttemptRef, 'batch' | 'id'>,
  attempts: Attempt[],
): Promise<boolean> {
  for (const attempt of attempts.filter((one) => isGrouped(one) && hasJob(standingOf(one)))) {
    if (await isMiscounted(books, nameOf({ batch, id, n: attempt.n }))) return true;
  }
  return false;
}

/**
 * True where more jobs of an attempt's group exist than were found billed. Groups that were counted beside each other are
 * taken as one: only what all of them were billed was known.
 */
export async function isMiscounted(books: Sources, name: string): Promise<boolean> {
  const groups = await groupsAround(books, name);
  const grouped = new Set(groups.flatMap(({ members }) => members));
  const labels = new Set(groups.flatMap(({ billed }) => billed));
  let surplus = 0;
  for (const one of new Set(groups.flatMap(namesIn))) {
    const attempt = await books.ledger.readAttempt(refOf(one));
    if (attempt === undefined) continue;
    if (hasJob(standingOf(attempt))) surplus += 1;
    const found = verdictOf(attempt);
    if (grouped.has(one) ? labels.has(one) && found !== 'not_billed' : found === 'billed') surplus -= 1;
  }
  return surplus > 0;
}

async function groupsAround({ groups }: Sources, name: string): Promise<Group[]> {
  const left: Group[] = [];
  for await (const group of groups.all()) left.push(group);
  const names = new Set([name]);
  const found: Group[] = [];
  for (;;) {
    const at = left.findIndex((group) => namesIn(group).some((one) => names.has(one)));
    const [next] = at < 0 ? [] : left.splice(at, 1);
    if (next === undefined) return found;
    found.push(next);
    for (const one of namesIn(next)) names.add(one);
  }
}

function namesIn({ members, beside = [] }: Group): string[] {
  return [...members, ...beside];
}

/** What was found last: a bill that came back is one no longer. */
function verdictOf({ states }: Attempt) {
  const found = states.findLast((state) => state.state === 'verdict');
  return found?.verdict;
}
