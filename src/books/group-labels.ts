import { isLost, standingOf } from '../domain/standing.js';
import { refOf, resultState } from '../home/attempts.js';
import type { Group } from '../home/verdicts.js';
import type { Books } from './open-books.js';

/** Which members of a group count as billed is a label: a job of another one that turns up was counted with them. */

/**
 * Of the groups of these attempts: the labels that stand for jobs which turned up as those of other members. What such a
 * job cost is entered as its own, so the label has cost nothing; a label whose own job turned up is none of them.
 */
export async function spentLabels(
  books: Pick<Books, 'groups' | 'ledger'>,
  names: ReadonlySet<string>,
): Promise<Set<string>> {
  const spent = new Set<string>();
  if (names.size === 0) return spent;
  for await (const group of books.groups.all()) {
    if (group.billed.some((name) => names.has(name))) {
      for (const name of await spentIn(books, group)) spent.add(name);
    }
  }
  return spent;
}

async function spentIn({ ledger }: Pick<Books, 'ledger'>, { members, billed }: Group): Promise<string[]> {
  let turnedUp = 0;
  for (const name of members.filter((member) => !billed.includes(member))) {
    const attempt = await ledger.readAttempt(refOf(name));
    if (attempt && resultState(attempt)) turnedUp += 1;
  }
  const spent: string[] = [];
  // The weakest evidence comes last.
  for (const name of turnedUp === 0 ? [] : billed.toReversed()) {
    const attempt = await ledger.readAttempt(refOf(name));
    if (attempt && isLost(standingOf(attempt)) && spent.length < turnedUp) spent.push(name);
  }
  return spent;
}
