import { countTime } from '../src/books/check/counted-time.js';
import { type Evidence, type Movement, movementsOf, type Reading } from '../src/books/check/evidence.js';
import { opennessOf } from '../src/books/check/residual.js';
import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import type { Kind } from '../src/domain/kind.js';
import type { BalanceCheckpoint } from '../src/home/home.js';
import { attemptsSince, type NamedAttempt, type OpenCase, openCase } from './attempts-since.js';
import type { Dependencies } from './dependencies.js';
import { judgedBefore } from './judged-before.js';
import { lambdaMs, rhoMs, roundingNano } from './learned.js';
import { policyOf } from './ordered.js';

/** How far back a quiet moment is looked for to start from, ms of the clock; further only where there is none. */
const LOOK_BACK_MS = [600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000] as const;
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
 * Everything in the home that bears on one open case. `sinceMs` leaves out the readings between its claim and then: what
 * they showed has been weighed. `mayGroup`: its policy settles interchangeable cases by their count.
 */
export async function gatherEvidence(
  deps: Dependencies,
  kind: Kind,
  ref: AttemptRef,
  attempt: Attempt,
  { sinceMs = 0, mayGroup = false } = {},
): Promise<Evidence> {
  const subject = await openCase(deps, kind, ref, attempt);
  const history = await historyBefore(deps, subject.claimedAtMs);
  const rivals = history.cases.filter(({ name }) => name !== subject.name);
  const alike = mayGroup ? await groupable(deps, subject, rivals) : [];
  const equals = equalsOf(subject, alike, GROUP_OPEN_MS / deps.settings.timeScale);
  const judged = mayGroup ? await judgedBefore(deps, history, subject, equals) : undefined;
  const evidence = { ...evidenceOf(deps, history, { subject, rivals, equals }), ...(judged ? { judged } : {}) };
  const counted = countTime(evidence, Math.max(GAP_MIN_MS, GAP_MAX_MS / deps.settings.timeScale));
  // Counted first: what is left out was looked at all the same.
  const counts = evidence.readings.map(({ atMs }) => atMs <= subject.claimedAtMs || atMs > sinceMs);
  return { ...counted, readings: counted.readings.filter((_, i) => counts[i]) };
}

/** The evidence on interchangeable attempts that were given up one by one; `members` in the order of their claims. */
export async function gatherTogether(deps: Dependencies, members: OpenCase[]): Promise<Evidence | undefined> {
  const [subject, ...others] = members;
  if (subject === undefined) return undefined;
  const equals = others.map(({ name }) => name);
  const history = await historyBefore(deps, subject.claimedAtMs);
  const isOther = ({ name }: { name: string }): boolean => name !== subject.name && !equals.includes(name);
  const rivals = [...others, ...history.cases.filter(isOther)];
  const rest = { ...history, known: history.known.filter(isOther) };
  return evidenceOf(deps, rest, { subject, rivals, equals });
}

function evidenceOf(
  { now, settings }: Dependencies,
  { readings, known, lambda, rho, rounding }: History,
  cases: Pick<Evidence, 'subject' | 'rivals' | 'equals'>,
): Evidence {
  const { timeScale, exclusive } = settings;
  const others = known.filter(({ name }) => name !== cases.subject.name);
  return {
    nowMs: now(),
    exclusive,
    lambdaMs: lambda,
    rhoMs: rho,
    roundingNano: rounding,
    apartMs: APART_MS / timeScale,
    readings,
    movements: others.flatMap((one) => movementsOf(one.known, rho)),
    ...cases,
    patienceMs: PATIENCE_MS / timeScale,
    giveUpAfterMs: GIVE_UP_AFTER_MS / timeScale,
  };
}

/** The cases that the balance cannot tell from the subject, as far as the policies of their batches settle any by count. */
async function groupable(deps: Dependencies, subject: OpenCase, rivals: OpenCase[]): Promise<OpenCase[]> {
  if (subject.groupKey === null || subject.hasHandle) return [];
  const alike = rivals.filter((one) => one.groupKey === subject.groupKey && !one.hasHandle);
  const others = [...new Set(alike.map(({ batch }) => batch))].filter((batch) => batch !== subject.batch);
  const held = new Set<string>();
  for (const batch of others) if ((await policyOf(deps, batch)) === 'hold') held.add(batch);
  return alike.filter(({ batch }) => !held.has(batch));
}

/** Names of those that belong to the subject's group: from its first for as long as it is open. */
function equalsOf(subject: OpenCase, others: OpenCase[], openMs: number): string[] {
  const alike = [subject, ...others];
  const firstMs = Math.min(...alike.map(({ claimedAtMs }) => claimedAtMs));
  const members = alike.filter(({ claimedAtMs }) => claimedAtMs <= firstMs + openMs);
  return members.includes(subject) ? members.filter((one) => one !== subject).map(({ name }) => name) : [];
}

/** The account from some time before a claim on. */
interface History {
  readings: Reading[];
  known: NamedAttempt[];
  cases: OpenCase[];
  lambda: number;
  rho: number;
  rounding: number;
}

/** Readings and attempts from a quiet moment before a claim on, as far back as one can be found. */
async function historyBefore(deps: Dependencies, claimedAtMs: number): Promise<History> {
  const [lambda, rho] = [await lambdaMs(deps), await rhoMs(deps)];
  let history: History = { readings: [], known: [], cases: [], lambda, rho, rounding: await roundingNano(deps) };
  let earlier = -1;
  for (const backMs of LOOK_BACK_MS) {
    const readings = (await deps.home.checkpointsSince(claimedAtMs - backMs)).flatMap(readingOf);
    const before = readings.filter(({ atMs }) => atMs <= claimedAtMs);
    if (before.length === earlier) continue;
    earlier = before.length;
    const first = Math.min(readings[0]?.askedMs ?? claimedAtMs, claimedAtMs);
    const rounding = await roundingNano(
      deps,
      readings.map(({ balanceNano }) => balanceNano),
    );
    history = { readings, ...(await attemptsSince(deps, first - lambda - rho)), lambda, rho, rounding };
    if (before.some((at) => isQuiet(history, at))) return history;
  }
  return history;
}

function isQuiet({ known, cases, lambda, rho }: History, at: Reading): boolean {
  const movements: Movement[] = known.flatMap((one) => movementsOf(one.known, rho));
  const isOpen = cases.some(({ claimedAtMs }) => claimedAtMs <= at.atMs);
  return !isOpen && opennessOf({ movements, lambdaMs: lambda }, at) === 0;
}

export function readingOf({ askedMs, atMs, balanceNano }: BalanceCheckpoint): Reading[] {
  return balanceNano === null ? [] : [{ askedMs: askedMs ?? atMs, atMs, balanceNano }];
}
