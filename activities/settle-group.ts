import { isDeepStrictEqual } from 'node:util';
import { countTogether } from '../src/books/check/settle.js';
import type { AttemptRef } from '../src/domain/attempt.js';
import { KINDS } from '../src/domain/kind.js';
import { intentOf, standingOf } from '../src/domain/standing.js';

import { type Group, groupOf, writeGroup } from '../src/home/verdicts.js';
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
  /** Those that nobody has settled yet: all of the group, unless its settling was cut short. */
  members: OpenCase[];
  group?: Group;
}

/**
 * Weighs attempts that are undecided or still open, those of one price and charge timing together; what was decided of
 * some before stands. Writes nothing.
 */
export async function countAttempts(deps: Dependencies, refs: AttemptRef[]): Promise<CountedAttempts[]> {
  const decided = new Map<string, Required<CountedAttempts>>();
  const byKey = new Map<string, OpenCase[]>();
  for (const ref of refs) {
    const one = await unsettled(deps, ref);
    if (one === undefined) continue;
    const group = await groupOf(deps.home, one.name);
    if (group) decided.set(group.id, { group, members: [...(decided.get(group.id)?.members ?? []), one] });
    else if (one.groupKey !== null && !one.hasHandle)
      byKey.set(one.groupKey, [...(byKey.get(one.groupKey) ?? []), one]);
  }
  const counted: CountedAttempts[] = [...decided.values()];
  for (const cases of byKey.values()) {
    const members = cases.sort((a, b) => a.claimedAtMs - b.claimedAtMs);
    const evidence = await gatherTogether(deps, members);
    const found = evidence && countTogether(evidence);
    counted.push(found ? { members, group: await groupFor(deps, members, found) } : { members });
  }
  return counted;
}

async function unsettled(deps: Dependencies, ref: AttemptRef): Promise<OpenCase | undefined> {
  const attempt = await deps.ledger.readAttempt(ref);
  const intent = attempt && intentOf(attempt);
  const standing = attempt && standingOf(attempt);
  if (!attempt || !intent || (standing !== 'undecided' && standing !== 'open_case')) return undefined;
  return openCase(deps, intent.kind, ref, attempt);
}

/** True when two counts come to the same: what is settled is what a person was shown. */
export function isSameCount(shown: readonly CountedAttempts[], now: readonly CountedAttempts[]): boolean {
  return isDeepStrictEqual(shown.map(essenceOf).sort(), now.map(essenceOf).sort());
}

function essenceOf({ members, group }: CountedAttempts): string {
  return JSON.stringify([members.map(({ name }) => name).sort(), group?.id ?? null, [...(group?.billed ?? [])].sort()]);
}

/**
 * Records the group and the verdict on each of its members; an answer that came meanwhile wins. Can be repeated: what a
 * crash left undone is done then. False, with nothing recorded, when its first member was settled with others meanwhile.
 */
export async function recordGroup(deps: Dependencies, group: Group): Promise<boolean> {
  const [first] = group.members;
  if (first === undefined) return false;
  if (!(await writeGroup(deps.home, refOf(first), group)) && (await groupOf(deps.home, first))?.id !== group.id) {
    return false;
  }
  for (const name of group.members) await recordMember(deps, group, name);
  return true;
}

async function recordMember(deps: Dependencies, { id, sentence, billed }: Group, name: string): Promise<void> {
  const ref = refOf(name);
  const attempt = await deps.ledger.readAttempt(ref);
  const intent = attempt && intentOf(attempt);
  if (!attempt || !intent) return;
  const verdict = billed.includes(name) ? 'billed' : 'not_billed';
  const state = { state: 'verdict', atMs: deps.now(), verdict, sentence, group: id } as const;
  const last = attempt.states.at(-1);
  const isRecorded = last?.state === 'verdict' && last.group === id;
  if (!isRecorded && !(await deps.ledger.append(ref, state))) return;
  const endedAtMs = slotUntilMs(deps, attempt, KINDS.indexOf(intent.kind));
  const row = await rowOf(deps, ref, intent);
  await bookVerdict(deps, { row }, ref, { attempt, endedAtMs, verdict, goneMs: null });
}
