import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Attempt, AttemptRef } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import { intentOf, standingOf } from '../domain/standing.js';
import { refOf } from '../home/attempts.js';
import type { Group } from '../home/verdicts.js';
import { legibleRow } from './attempt-price.js';
import { type OpenCase, openCase } from './attempts.js';
import { bookVerdict } from './charges.js';
import { type Case, type Evidence, upTo } from './check/evidence.js';
import { type Counted, countTogether, isBorneOut, type Settlement } from './check/settle.js';
import type { Story } from './check/story.js';
import { gatherTogether } from './evidence.js';
import { bookUnread } from './finish-books.js';
import type { Books } from './open-books.js';
import { slotUntilMs } from './waits.js';

/** Interchangeable cases are decided once, for all of them, and each follows that decision. */

export type Own = Exclude<Settlement, { outcome: 'group' }> & { group?: string; byPerson?: true };

const DAMAGED =
  'undecided: the record of the group that it was settled in cannot be read; `callsheet ledger verify` names it';

/** What a settlement means for the subject itself: by the group that it was decided in, or that is decided now. */
export async function settleTogether(books: Books, evidence: Evidence, settled: Settlement): Promise<Own> {
  const { name } = evidence.subject;
  const known = await books.groups.of(name);
  if (known) return ownOf(known, name, evidence.nowMs);
  if (settled.outcome !== 'group') return settled;
  const decided = await decide(books, evidence, settled);
  if (decided === 'damaged') return { outcome: 'verdict', verdict: 'undecided', sentence: DAMAGED };
  if (decided?.members.includes(name)) return ownOf(decided, name, settled.goneMs);
  // Another member decided with others at the same time: what stands is seen at the next look.
  return { outcome: 'wait', untilMs: evidence.nowMs + evidence.apartMs, sentence: settled.sentence };
}

async function decide(
  books: Books,
  { subject, rivals, equals }: Evidence,
  counted: Counted,
): Promise<Group | 'damaged' | undefined> {
  const members = [subject, ...rivals.filter(({ name }) => equals.includes(name))];
  const group = await groupFor(books, members, counted);
  const [first] = group.members;
  if (first === undefined) return undefined;
  if (await books.groups.write(refOf(first), group)) return group;
  return (await books.groups.isDamaged(refOf(first))) ? 'damaged' : books.groups.of(subject.name);
}

/** The decision on interchangeable cases; those whose evidence speaks most for a job count as the billed ones. */
async function groupFor(books: Books, cases: Case[], counted: Counted): Promise<Group> {
  const { billed, beside, sentence, story } = counted;
  const strengths = new Map<string, number>();
  let [sinceMs, untilMs] = [Number.POSITIVE_INFINITY, 0];
  for (const { name, claimedAtMs } of cases) {
    const attempt = await books.ledger.readAttempt(refOf(name));
    const intent = attempt && intentOf(attempt);
    strengths.set(name, strengthOf(attempt));
    sinceMs = Math.min(sinceMs, intent?.atMs ?? claimedAtMs);
    if (attempt && intent) untilMs = Math.max(untilMs, slotUntilMs(books, attempt, intent.kind));
  }
  const members = [...cases].sort(byClaim).map(({ name }) => name);
  const strongestFirst = [...members].sort((a, b) => (strengths.get(b) ?? 0) - (strengths.get(a) ?? 0));
  const heldMs = story && heldAtMs(story, await books.learned.lambdaMs());
  return {
    schema: 1,
    id: createHash('sha256').update(members.join('\n')).digest('hex').slice(0, 12),
    members,
    billed: strongestFirst.slice(0, billed),
    ...defined({ beside }),
    ...{ sentence, sinceMs, untilMs },
    ...defined({ heldAtMs: heldMs }),
    atMs: books.now(),
  };
}

/** When the balance still held what a reading shows, which may be an older copy. */
export function heldAtMs({ at }: Story, lambdaMs: number): number {
  return Math.floor(at.askedMs - lambdaMs);
}

function ownOf({ id, billed, sentence, byPerson }: Group, name: string, goneMs: number): Own {
  const stated = { outcome: 'verdict', sentence, group: id, ...defined({ byPerson }) } as const;
  if (billed.includes(name)) return { ...stated, verdict: 'billed' };
  return { ...stated, verdict: 'not_billed', goneMs };
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

/** Interchangeable attempts that a person settles together: what the policy `if-proved` would have done by itself. */

/** What the balance says of attempts of one exact price; without `group` it does not tell how many were billed. */
export interface CountedAttempts {
  /** Those that nobody has settled yet: all of the group, unless its settling was cut short. */
  members: OpenCase[];
  group?: Group;
  /** It would tell, were the discounts of that time known. */
  isUnpriced?: true;
}

/**
 * Weighs attempts that are undecided or still open, those of one price and charge timing together; what was decided of
 * some before stands. Writes nothing.
 */
export async function countAttempts(books: Books, refs: AttemptRef[]): Promise<CountedAttempts[]> {
  // Before the evidence is gathered: what comes meanwhile may be in a part of it alone.
  const knownUntilMs = await books.discounts.knownUntilMs();
  const decided = new Map<string, { members: OpenCase[]; group: Group }>();
  const byKey = new Map<string, OpenCase[]>();
  for (const ref of refs) {
    const one = await unsettled(books, ref);
    if (one === undefined) continue;
    const group = await books.groups.of(one.name);
    if (group) decided.set(group.id, { group, members: [...(decided.get(group.id)?.members ?? []), one] });
    else if (one.groupKey !== null && !one.hasHandle)
      byKey.set(one.groupKey, [...(byKey.get(one.groupKey) ?? []), one]);
  }
  const counted: CountedAttempts[] = [...decided.values()];
  for (const cases of byKey.values()) {
    const members = cases.sort((a, b) => a.claimedAtMs - b.claimedAtMs);
    const evidence = await gatherTogether(books, members);
    const found = evidence && countPriced(evidence, knownUntilMs);
    if (found === undefined || found === 'unpriced') counted.push({ members, ...(found && { isUnpriced: true }) });
    else counted.push({ members, group: await groupFor(books, members, found) });
  }
  return counted;
}

/** As a case by itself is weighed: jobs at a discount that is not known yet look like fewer at the whole price. */
function countPriced(evidence: Evidence, untilMs: number): Counted | 'unpriced' | undefined {
  const counted = countTogether(evidence);
  if (counted?.restsOnMs === undefined || counted.restsOnMs <= untilMs) return counted;
  const earlier = countTogether(upTo(evidence, untilMs));
  return earlier !== undefined && isBorneOut(earlier, counted) ? earlier : 'unpriced';
}

async function unsettled(books: Books, ref: AttemptRef): Promise<OpenCase | undefined> {
  const attempt = await books.ledger.readAttempt(ref);
  const intent = attempt && intentOf(attempt);
  const standing = attempt && standingOf(attempt);
  if (!attempt || !intent || (standing !== 'undecided' && standing !== 'open_case')) return undefined;
  return openCase(books, intent.kind, ref, attempt);
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
export async function recordGroup(books: Books, counted: Group): Promise<boolean> {
  const group = { ...counted, byPerson: true } as const;
  const [first] = group.members;
  if (first === undefined) return false;
  if (!(await books.groups.write(refOf(first), group)) && (await books.groups.of(first))?.id !== group.id) {
    return false;
  }
  for (const name of group.members) await recordMember(books, group, name);
  return true;
}

async function recordMember(books: Books, { id, sentence, billed }: Group, name: string): Promise<void> {
  const ref = refOf(name);
  const attempt = await books.ledger.readAttempt(ref);
  const intent = attempt && intentOf(attempt);
  if (!attempt || !intent) return;
  const verdict = billed.includes(name) ? 'billed' : 'not_billed';
  const state = { state: 'verdict', atMs: books.now(), verdict, sentence, group: id, byPerson: true } as const;
  const last = attempt.states.at(-1);
  const isRecorded = last?.state === 'verdict' && last.group === id;
  if (!isRecorded && !(await books.ledger.append(ref, state))) return;
  const endedAtMs = slotUntilMs(books, attempt, intent.kind);
  const row = await legibleRow(books, ref, intent);
  if (row === undefined) return bookUnread(books, ref, intent, endedAtMs);
  await bookVerdict(books, row, ref, { attempt, endedAtMs, verdict, goneMs: null });
}
