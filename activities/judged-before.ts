import { type Judged, mayComeBack, movementsOf } from '../src/books/check/evidence.js';
import { intentOf, standingOf } from '../src/domain/standing.js';
import { allGroups } from '../src/home/verdicts.js';
import { type NamedAttempt, type OpenCase, openCase } from './attempts-since.js';
import type { Dependencies } from './dependencies.js';
import { policyOf } from './ordered.js';
import { refOf } from './running.js';

/** What is known of the account around a case. */
interface Known {
  known: NamedAttempt[];
  cases: OpenCase[];
  rho: number;
}

/**
 * Attempts of a case's price that were judged billed and may have been given back since, with all that were counted
 * together with them: which of a group was billed is a label. None of a batch that holds its lost answers for a person.
 */
export async function judgedBefore(
  deps: Dependencies,
  { known, cases, rho }: Known,
  subject: OpenCase,
  equals: string[],
): Promise<Judged | undefined> {
  if (subject.groupKey === null || subject.hasHandle) return undefined;
  const own = cases.filter(({ name }) => name === subject.name || equals.includes(name));
  const firstMs = Math.min(subject.claimedAtMs, ...own.map(({ claimedAtMs }) => claimedAtMs));
  const refundable = known.filter(
    ({ known: { end, timing, endedAtMs } }) =>
      end === 'billed' && mayComeBack(timing) && (endedAtMs === null || endedAtMs + rho >= firstMs),
  );
  if (refundable.length === 0) return undefined;
  const names = new Set(refundable.map(({ name }) => name));
  for await (const { members } of allGroups(deps.home)) {
    if (members.some((name) => names.has(name))) for (const name of members) names.add(name);
  }
  const judged: Judged = { cases: [], billed: 0, movements: [] };
  for (const name of names) {
    const attempt = await deps.ledger.readAttempt(refOf(name));
    const intent = attempt && intentOf(attempt);
    const standing = attempt && standingOf(attempt);
    if (!intent || (standing !== 'billed' && standing !== 'not_billed')) continue;
    const one = await openCase(deps, intent.kind, refOf(name), attempt);
    if (one.groupKey !== subject.groupKey || one.hasHandle) continue;
    if (one.batch !== subject.batch && (await policyOf(deps, one.batch)) === 'hold') continue;
    judged.cases.push(one);
    if (standing === 'billed') judged.billed += 1;
  }
  const joined = new Set(judged.cases.map(({ name }) => name));
  const others = known.filter(({ name }) => name !== subject.name && !joined.has(name));
  judged.movements = others.flatMap((one) => movementsOf(one.known, rho));
  return judged.billed === 0 ? undefined : judged;
}
