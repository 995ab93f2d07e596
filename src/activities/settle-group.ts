import { countTogether } from '../books/check/settle.js';
import { type AttemptRef, intentOf, standingOf } from '../domain/attempt.js';
import { KINDS } from '../domain/kind.js';
import { type Group, writeGroup } from '../store/groups.js';
import { type OpenCase, openCase, rowOf } from './attempts-since.js';
import { bookVerdict } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { gatherTogether } from './evidence.js';
import { refOf } from './running.js';
import { groupFor } from './settle-together.js';
import { slotUntilMs } from './waits.js';

/** Interchangeable attempts that a person settles together: what the policy `if-proved` would have done by itself. */

/** What the balance says of attempts of one exact price; without `group` it does not tell how many were billed. */
export interface CountedAttempts {
  members: OpenCase[];
  group?: Group;
}

/** Weighs attempts that are undecided or still open, those of one price and charge timing together. Writes nothing. */
export async function countAttempts(deps: Dependencies, refs: AttemptRef[]): Promise<CountedAttempts[]> {
  const byKey = new Map<string, OpenCase[]>();
  for (const ref of refs) {
    const attempt = await deps.ledger.readAttempt(ref);
    const intent = attempt && intentOf(attempt);
    const standing = attempt && standingOf(attempt);
    if (!attempt || !intent || (standing !== 'undecided' && standing !== 'open_case')) continue;
    const one = await openCase(deps, intent.kind, ref, attempt);
    if (one.groupKey === null || one.hasHandle) continue;
    byKey.set(one.groupKey, [...(byKey.get(one.groupKey) ?? []), one]);
  }
  const counted: CountedAttempts[] = [];
  for (const cases of byKey.values()) {
    const members = cases.sort((a, b) => a.claimedAtMs - b.claimedAtMs);
    const evidence = await gatherTogether(deps, members);
    const found = evidence && countTogether(evidence);
    counted.push(found ? { members, group: await groupFor(deps, members, found) } : { members });
  }
  return counted;
}

/** Records the group and the verdict on each of its members; an answer that came meanwhile wins. */
export async function recordGroup(deps: Dependencies, group: Group): Promise<void> {
  const [first] = group.members;
  if (first === undefined) return;
  await writeGroup(deps.home, refOf(first), group);
  const { id, sentence } = group;
  for (const name of group.members) {
    const ref = refOf(name);
    const attempt = await deps.ledger.readAttempt(ref);
    const intent = attempt && intentOf(attempt);
    if (!attempt || !intent) continue;
    const verdict = group.billed.includes(name) ? 'billed' : 'not_billed';
    const state = { state: 'verdict', atMs: deps.now(), verdict, sentence, group: id } as const;
    if (!(await deps.ledger.append(ref, state))) continue;
    const endedAtMs = slotUntilMs(deps, attempt, KINDS.indexOf(intent.kind));
    const row = await rowOf(deps, ref, intent);
    await bookVerdict(deps, { row }, ref, { attempt, endedAtMs, verdict, goneMs: null });
  }
}
