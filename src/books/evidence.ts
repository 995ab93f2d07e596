import type { Attempt, AttemptRef } from '../domain/attempt.js';
import type { Kind } from '../domain/kind.js';
import { intentOf, type Standing, standingOf } from '../domain/standing.js';
import { refOf } from '../home/attempts.js';
import { policyOf } from '../home/run-order.js';
import { type NamedAttempt, type OpenCase, openCase } from './attempts.js';
import { countTime } from './check/counted-time.js';
import { type Evidence, type Judged, mayComeBack, movementsOf } from './check/evidence.js';
import { spentLabels } from './group-labels.js';
import { type History, historyBefore } from './history.js';
import type { Books } from './open-books.js';

/** Everything in the home that bears on a lost answer: readings of the balance, and what else can have moved it. */

/** While a case is open the balance is read every minute: a longer gap is a sleeping machine or a clock that was set. */
const GAP_MAX_MS = 90_000;
/** However fast a rehearsal is, a machine may be this slow, ms of the clock. */
const GAP_MIN_MS = 4_000;
/** Two readings this far apart count as two, ms. */
const APART_MS = 10_000;
/** So long a case that is past its time waits by itself, ms. */
const PATIENCE_MS = 600_000;
/** And so long in all: an hour until the next quiet, and the quiet (30 min for refunds and 10 to see them), ms. */
const GIVE_UP_AFTER_MS = 100 * 60_000;
/** A group takes no member later than this after its first, ms. */
const GROUP_OPEN_MS = 3 * 3_600_000;

/**
 * The evidence on one open case. `sinceMs` leaves out the readings between its claim and then: what they showed has been
 * weighed. `mayGroup`: its policy settles interchangeable cases by their count.
 */
export async function gatherEvidence(
  books: Books,
  kind: Kind,
  ref: AttemptRef,
  attempt: Attempt,
  { sinceMs = 0, mayGroup = false } = {},
): Promise<Evidence> {
  const subject = await openCase(books, kind, ref, attempt);
  const history = await historyBefore(books, subject.claimedAtMs);
  const rivals = history.cases.filter(({ name }) => name !== subject.name);
  const alike = mayGroup ? await groupable(books, subject, rivals) : [];
  const equals = equalsOf(subject, alike, GROUP_OPEN_MS / books.settings.timeScale);
  const judged = mayGroup ? await judgedBefore(books, history, subject, equals) : undefined;
  const evidence = { ...evidenceOf(books, history, { subject, rivals, equals }), ...(judged ? { judged } : {}) };
  return inCountedTime(books, evidence, sinceMs);
}

/** With no time that nobody looked at, and without the readings between the claim and `sinceMs`. */
export function inCountedTime(books: Books, evidence: Evidence, sinceMs: number): Evidence {
  const { subject } = evidence;
  const counted = countTime(evidence, Math.max(GAP_MIN_MS, GAP_MAX_MS / books.settings.timeScale));
  // Counted first: what is left out was looked at all the same.
  const counts = evidence.readings.map(({ atMs }) => atMs <= subject.claimedAtMs || atMs > sinceMs);
  return { ...counted, readings: counted.readings.filter((_, i) => counts[i]) };
}

/** The evidence on interchangeable attempts that were given up one by one; `members` in the order of their claims. */
export async function gatherTogether(books: Books, members: OpenCase[]): Promise<Evidence | undefined> {
  const [subject, ...others] = members;
  if (subject === undefined) return undefined;
  const equals = others.map(({ name }) => name);
  const history = await historyBefore(books, subject.claimedAtMs);
  const isOther = ({ name }: { name: string }): boolean => name !== subject.name && !equals.includes(name);
  const rivals = [...others, ...history.cases.filter(isOther)];
  return evidenceOf(books, { ...history, known: history.known.filter(isOther) }, { subject, rivals, equals });
}

function evidenceOf(
  { now, settings }: Books,
  { readings, known, lambdaMs, rhoMs, roundingNano }: History,
  cases: Pick<Evidence, 'subject' | 'rivals' | 'equals'>,
): Evidence {
  const { timeScale, exclusive } = settings;
  return {
    nowMs: now(),
    exclusive,
    lambdaMs,
    rhoMs,
    roundingNano,
    apartMs: APART_MS / timeScale,
    readings,
    movements: movementsBut(known, rhoMs, ({ name }) => name === cases.subject.name),
    ...cases,
    patienceMs: PATIENCE_MS / timeScale,
    giveUpAfterMs: GIVE_UP_AFTER_MS / timeScale,
  };
}

function movementsBut(known: NamedAttempt[], rhoMs: number, isOut: (one: NamedAttempt) => boolean) {
  return known.filter((one) => !isOut(one)).flatMap((one) => movementsOf(one, rhoMs));
}

/** The cases that the balance cannot tell from the subject, as far as the policies of their batches settle any by count. */
async function groupable(books: Books, subject: OpenCase, rivals: OpenCase[]): Promise<OpenCase[]> {
  if (subject.groupKey === null || subject.hasHandle) return [];
  const decided = new Set<string>();
  for await (const { members } of books.groups.all()) for (const name of members) decided.add(name);
  // One that was counted before and whose batch nobody has gone on with is not counted a second time; nor is one that a
  // person ruled, whom a count could contradict.
  const alike = rivals.filter((one) => isAlike(one, subject) && !one.isDecided && !decided.has(one.name));
  const batches = new Set(alike.map(({ batch }) => batch));
  const held = new Set<string>();
  for (const batch of batches) if (await isHeld(books, batch, subject)) held.add(batch);
  return alike.filter(({ batch }) => !held.has(batch));
}

function isAlike(one: OpenCase, subject: OpenCase): boolean {
  return one.groupKey === subject.groupKey && !one.hasHandle;
}

/** Another batch holds its lost answers for a person. */
async function isHeld(books: Books, batch: string, subject: OpenCase): Promise<boolean> {
  return batch !== subject.batch && (await policyOf(books, batch)) === 'hold';
}

/**
 * Names of those that belong to the subject's group. A group is open for some time from its first member on, and the next
 * claim begins another one: else a case that nobody settles would end all grouping of its price.
 */
function equalsOf(subject: OpenCase, others: OpenCase[], openMs: number): string[] {
  let members: OpenCase[] = [];
  for (const one of [subject, ...others].sort((a, b) => a.claimedAtMs - b.claimedAtMs)) {
    const first = members[0] ?? one;
    if (one.claimedAtMs <= first.claimedAtMs + openMs) members.push(one);
    else if (members.includes(subject)) break;
    else members = [one];
  }
  return members.filter((one) => one !== subject).map(({ name }) => name);
}

/** A member of a group that was decided follows it whenever its batch is gone on with. */
const JUDGED: readonly Standing[] = ['billed', 'not_billed', 'open_case', 'claimed'];

/**
 * Attempts of a case's price that were judged billed and may have been given back since, with all that were counted
 * together with them: which of a group was billed is a label. None of a batch that holds its lost answers for a person.
 */
async function judgedBefore(
  books: Books,
  { known, cases, rhoMs }: History,
  subject: OpenCase,
  equals: string[],
): Promise<Judged | undefined> {
  if (subject.groupKey === null || subject.hasHandle) return undefined;
  const own = cases.filter(({ name }) => name === subject.name || equals.includes(name));
  const firstMs = Math.min(subject.claimedAtMs, ...own.map(({ claimedAtMs }) => claimedAtMs));
  const refundable = known.filter(
    ({ end, timing, endedAtMs }) =>
      end === 'billed' && mayComeBack(timing) && (endedAtMs === null || endedAtMs + rhoMs >= firstMs),
  );
  if (refundable.length === 0) return undefined;
  const names = new Set(refundable.map(({ name }) => name));
  const labelled = new Set<string>();
  for await (const group of books.groups.all()) {
    if (!group.members.some((name) => names.has(name))) continue;
    for (const name of group.members) names.add(name);
    for (const name of group.billed) labelled.add(name);
  }
  const spent = await spentLabels(books, names);
  const joined: OpenCase[] = [];
  let billed = 0;
  for (const name of names) {
    const attempt = await books.ledger.readAttempt(refOf(name));
    const intent = attempt && intentOf(attempt);
    const standing = attempt && standingOf(attempt);
    if (!intent || !standing || !JUDGED.includes(standing)) continue;
    const one = await openCase(books, intent.kind, refOf(name), attempt);
    if (!isAlike(one, subject) || (await isHeld(books, one.batch, subject))) continue;
    joined.push(one);
    const isLabelled = standing === 'billed' || (standing !== 'not_billed' && labelled.has(name));
    if (isLabelled && !spent.has(name)) billed += 1;
  }
  if (billed === 0) return undefined;
  const isJoined = ({ name }: NamedAttempt): boolean =>
    name === subject.name || joined.some((one) => one.name === name);
  return { cases: joined, billed, movements: movementsBut(known, rhoMs, isJoined) };
}
