import { createHash } from 'node:crypto';
import type { Case, Evidence } from '../src/books/check/evidence.js';
import type { Counted, Settlement } from '../src/books/check/settle.js';
import type { Story } from '../src/books/check/story.js';
import type { Attempt } from '../src/domain/attempt.js';
import { KINDS } from '../src/domain/kind.js';
import { intentOf } from '../src/domain/standing.js';

import { type Group, groupOf, isGroupDamaged, writeGroup } from '../src/home/verdicts.js';
import type { Dependencies } from './dependencies.js';
import { lambdaMs } from './learned.js';
import { refOf } from './running.js';
import { slotUntilMs } from './waits.js';

/** Interchangeable cases are decided once, for all of them, and each follows that decision. */

export type Own = Exclude<Settlement, { outcome: 'group' }> & { group?: string };

const DAMAGED =
  'undecided: the record of the group that it was settled in cannot be read; `callsheet ledger verify` names it';

/** What a settlement means for the subject itself: by the group that it was decided in, or that is decided now. */
export async function settleTogether(deps: Dependencies, evidence: Evidence, settled: Settlement): Promise<Own> {
  const { name } = evidence.subject;
  const known = await groupOf(deps.home, name);
  if (known) return ownOf(known, name, evidence.nowMs);
  if (settled.outcome !== 'group') return settled;
  const decided = await decide(deps, evidence, settled);
  if (decided === 'damaged') return { outcome: 'verdict', verdict: 'undecided', sentence: DAMAGED };
  if (decided?.members.includes(name)) return ownOf(decided, name, settled.goneMs);
  // Another member decided with others at the same time: what stands is seen at the next look.
  return { outcome: 'wait', untilMs: evidence.nowMs + evidence.apartMs, sentence: settled.sentence };
}

async function decide(
  deps: Dependencies,
  { subject, rivals, equals }: Evidence,
  counted: Counted,
): Promise<Group | 'damaged' | undefined> {
  const members = [subject, ...rivals.filter(({ name }) => equals.includes(name))];
  const group = await groupFor(deps, members, counted);
  const [first] = group.members;
  if (first === undefined) return undefined;
  if (await writeGroup(deps.home, refOf(first), group)) return group;
  return (await isGroupDamaged(deps.home, refOf(first))) ? 'damaged' : groupOf(deps.home, subject.name);
}

/** The decision on interchangeable cases; those whose evidence speaks most for a job count as the billed ones. */
export async function groupFor(deps: Dependencies, cases: Case[], counted: Counted): Promise<Group> {
  const { billed, beside, sentence, story } = counted;
  const strengths = new Map<string, number>();
  let [sinceMs, untilMs] = [Number.POSITIVE_INFINITY, 0];
  for (const { name, claimedAtMs } of cases) {
    const attempt = await deps.ledger.readAttempt(refOf(name));
    const intent = attempt && intentOf(attempt);
    strengths.set(name, strengthOf(attempt));
    sinceMs = Math.min(sinceMs, intent?.atMs ?? claimedAtMs);
    if (attempt && intent) untilMs = Math.max(untilMs, slotUntilMs(deps, attempt, KINDS.indexOf(intent.kind)));
  }
  const members = [...cases].sort(byClaim).map(({ name }) => name);
  const strongestFirst = [...members].sort((a, b) => (strengths.get(b) ?? 0) - (strengths.get(a) ?? 0));
  return {
    schema: 1,
    id: createHash('sha256').update(members.join('\n')).digest('hex').slice(0, 12),
    members,
    billed: strongestFirst.slice(0, billed),
    ...(beside === undefined ? {} : { beside }),
    sentence,
    ...{ sinceMs, untilMs },
    ...(story === undefined ? {} : { heldAtMs: heldAtMs(story, await lambdaMs(deps)) }),
    atMs: deps.now(),
  };
}

/** When the balance still held what a reading shows, which may be an older copy. */
export function heldAtMs({ at }: Story, lambda: number): number {
  return Math.floor(at.askedMs - lambda);
}

function ownOf({ id, billed, sentence }: Group, name: string, goneMs: number): Own {
  if (billed.includes(name)) return { outcome: 'verdict', verdict: 'billed', sentence, group: id };
  return { outcome: 'verdict', verdict: 'not_billed', goneMs, sentence, group: id };
}

function byClaim(a: Case, b: Case): number {
  return a.claimedAtMs - b.claimedAtMs || (a.name < b.name ? -1 : 1);
}

/** How much an attempt's evidence speaks for a job: the service's own success more than a gateway's failure. */
function strengthOf(attempt: Attempt | undefined): number {
  const lost = attempt?.states.find((state) => state.state === 'unknown' || state.state === 'created_lost');
  if (lost === undefined) return 0;
  if (lost.state === 'created_lost') return 3;
  return lost.evidence.status === undefined ? 1 : 2;
}
