import { createHash } from 'node:crypto';
import type { Case, Evidence } from '../books/check/evidence.js';
import type { Settlement } from '../books/check/settle.js';
import type { Attempt } from '../domain/attempt.js';
import { type Group, groupOf, writeGroup } from '../store/groups.js';
import type { Dependencies } from './dependencies.js';
import { refOf } from './running.js';

/** Interchangeable cases are decided once, for all of them, and each follows that decision. */

type Own = Exclude<Settlement, { outcome: 'group' }> & { group?: string };

/** What a settlement means for the subject itself: by the group that it was decided in, or that is decided now. */
export async function settleTogether(deps: Dependencies, evidence: Evidence, settled: Settlement): Promise<Own> {
  const { name } = evidence.subject;
  const known = await groupOf(deps.home, name);
  if (known) return ownOf(known, name, evidence.nowMs);
  if (settled.outcome !== 'group') return settled;
  const decided = await decide(deps, evidence, settled);
  if (decided?.members.includes(name)) return ownOf(decided, name, settled.goneMs);
  // Another member decided with others at the same time: what stands is seen at the next look.
  return { outcome: 'wait', untilMs: evidence.nowMs + evidence.apartMs, sentence: settled.sentence };
}

async function decide(
  deps: Dependencies,
  { subject, rivals, equals }: Evidence,
  { billed, sentence }: Extract<Settlement, { outcome: 'group' }>,
): Promise<Group | undefined> {
  const members = [subject, ...rivals.filter(({ name }) => equals.includes(name))].sort(byClaim);
  const [first] = members;
  if (first === undefined) return undefined;
  const strengths = new Map<string, number>();
  for (const { name } of members) strengths.set(name, strengthOf(await deps.ledger.readAttempt(refOf(name))));
  const strongestFirst = [...members].sort((a, b) => (strengths.get(b.name) ?? 0) - (strengths.get(a.name) ?? 0));
  const names = members.map(({ name }) => name);
  const group: Group = {
    schema: 1,
    id: createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 12),
    members: names,
    billed: strongestFirst.slice(0, billed).map(({ name }) => name),
    sentence,
    atMs: deps.now(),
  };
  return (await writeGroup(deps.home, refOf(first.name), group)) ? group : groupOf(deps.home, subject.name);
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
