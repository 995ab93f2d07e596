import { hasJob, intentOf, standingOf } from '../domain/standing.js';
import { refOf } from '../home/attempts.js';
import type { Group } from '../home/verdicts.js';
import { type OpenCase, openCase } from './attempts.js';
import { upTo } from './check/evidence.js';
import { countFewer } from './check/settle.js';
import { gatherTogether, inCountedTime } from './evidence.js';
import { labelsIn, type Member } from './group-labels.js';
import type { Books } from './open-books.js';

/**
 * The sentence that says that a label of a group stands for no bill any more; undefined while it does. Any of the group's
 * bills may be the one that came back, so all members are counted again: where fewer are billed than there are labels,
 * those with the weakest evidence go.
 */
export async function refundOfLabel(
  books: Books,
  name: string,
  group: Group,
  sinceMs: number,
): Promise<string | undefined> {
  const knownUntilMs = await books.discounts.knownUntilMs();
  const { lost, others } = await labelsIn(books, group);
  // A job that exists costs what it costs, and a label stands for it.
  const turnedUp = others.filter(({ attempt }) => hasJob(standingOf(attempt))).length;
  const labels = lost.slice(0, Math.max(0, lost.length - turnedUp)).map((one) => one.name);
  if (!labels.includes(name)) return undefined;
  const cases = await casesOf(books, group);
  const together = cases && (await gatherTogether(books, cases));
  if (together === undefined) return undefined;
  const evidence = inCountedTime(books, together, sinceMs);
  const counted = countFewer(upTo(evidence, knownUntilMs - (books.now() - evidence.nowMs)), labels.length);
  if (counted === undefined || labels.indexOf(name) < counted.billed) return undefined;
  return `the bill came back: ${counted.sentence}`;
}

/** The members whose answer is still lost, first claim first; undefined where their prices are not one any more. */
async function casesOf(books: Books, { members }: Group): Promise<OpenCase[] | undefined> {
  const cases: OpenCase[] = [];
  for (const name of members) {
    const attempt = await books.ledger.readAttempt(refOf(name));
    const intent = attempt && intentOf(attempt);
    if (!attempt || !intent) return undefined;
    if (!isKnown({ name, attempt })) cases.push(await openCase(books, intent.kind, refOf(name), attempt));
  }
  const [first] = cases;
  const isOfOne = cases.every(({ groupKey, hasHandle }) => groupKey === first?.groupKey && !hasHandle);
  if (first === undefined || first.groupKey === null || !isOfOne) return undefined;
  return cases.sort((a, b) => a.claimedAtMs - b.claimedAtMs);
}

/** The service has said what became of it. */
function isKnown({ attempt }: Member): boolean {
  const standing = standingOf(attempt);
  return hasJob(standing) || standing === 'ended' || standing === 'refused';
}
