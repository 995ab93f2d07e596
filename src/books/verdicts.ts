import type { Attempt, AttemptRef, Verdict } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { Kind } from '../domain/kind.js';
import { hasJob, intentOf, standingOf } from '../domain/standing.js';
import { nameOf } from '../home/attempts.js';
import { type Group, unwatchVerdict, type WatchedVerdict, watchedVerdicts, watchVerdict } from '../home/verdicts.js';
import { legibleRow } from './attempt-price.js';
import { carryOut, finishVerdict } from './carry-out.js';
import { bookVerdict } from './charges.js';
import { newestAlone, upTo } from './check/evidence.js';
import { type Decided, isBorneOut, isDecided, settle } from './check/settle.js';
import { contradict, opening, raiseAlarm } from './contradict.js';
import { gatherEvidence } from './evidence.js';
import { bookUnread } from './finish-books.js';
import { isGrouped, isMiscounted, spentLabels } from './group-labels.js';
import { refundOfLabel } from './label-refund.js';
import type { Books } from './open-books.js';
import { renderMaxMs, slotUntilMs } from './waits.js';

/** Verdicts that stand are looked at again with every reading: the service may be later than was assumed. */

/** How long after a verdict what contradicts it is still looked for: the longest render once more, and an hour. */
const WATCH_MS = 3_600_000;

export async function watch(
  books: Books,
  ref: AttemptRef,
  kind: Kind,
  { verdict, atMs }: { verdict: Verdict; atMs: number },
  untilMs = atMs + (renderMaxMs(books, kind) + WATCH_MS) / books.settings.timeScale,
): Promise<void> {
  const { batch, id, n } = ref;
  if (books.now() > untilMs) return;
  await watchVerdict(books.home, { batch, id, n, kind, verdict, atMs, untilMs });
}

/** Compares every watched verdict with what the ledger and the balance show now. */
export async function auditVerdicts(books: Books): Promise<void> {
  for (const watched of await watchedVerdicts(books.home)) {
    const attempt = await books.ledger.readAttempt(watched);
    try {
      if (attempt) await audit(books, watched, attempt);
    } catch (error) {
      // What one of them lacks keeps no other from being looked at.
      books.log.warn({ name: nameOf(watched), error: String(error) }, 'a verdict could not be looked at again');
    }
    if (!attempt || books.now() > watched.untilMs) await unwatchVerdict(books.home, watched);
  }
}

const EXISTS = 'a late answer shows that the job exists';
const TOO_MANY = 'more jobs of its group exist than were found billed';

async function audit(books: Books, watched: WatchedVerdict, attempt: Attempt): Promise<void> {
  const standing = standingOf(attempt);
  if (await finishVerdict(books, watched, attempt)) return;
  if (watched.verdict === 'not_billed' && hasJob(standing)) {
    const isCounted = isGrouped(attempt);
    // Which of interchangeable attempts was billed is a label: as long as no further job turns up the count was right.
    if (isCounted && !(await isMiscounted(books, nameOf(watched)))) return;
    const sentence = `${opening(watched)} ${isCounted ? TOO_MANY : EXISTS}`;
    await raiseAlarm(books, watched, sentence);
    await contradict(books, watched, attempt, sentence);
    return unwatchVerdict(books.home, watched);
  }
  // A person, or a later answer, has settled it otherwise.
  if (standing !== watched.verdict) return unwatchVerdict(books.home, watched);
  if (watched.verdict === 'undecided') return settleLate(books, watched, attempt);
  // The job that it was labelled for turned up elsewhere in its group: no bill comes back, so nothing is sent again.
  const name = nameOf(watched);
  if ((await spentLabels(books, new Set([name]))).has(name)) return unwatchVerdict(books.home, watched);
  if (watched.verdict === 'billed' && isGrouped(attempt)) {
    const group = await books.groups.of(name);
    const back = group && (await refundOfLabel(books, name, group, watched.atMs));
    return back === undefined ? undefined : takeBack(books, watched, attempt, back, group);
  }
  // What had shown before the verdict contradicts nothing: a bill that came back, or a quiet before a late job.
  const since = { sinceMs: watched.atMs };
  // An alarm is raised at once; what would be sent again waits until all discounts are known.
  if (watched.verdict === 'billed') {
    const found = await settlePriced(books, watched, attempt, since);
    if (found?.verdict === 'not_billed') {
      await takeBack(books, watched, attempt, `the bill came back: ${found.sentence}`);
    }
    return;
  }
  const evidence = await gatherEvidence(books, watched.kind, watched, attempt, since);
  const settled = settle(newestAlone(evidence));
  if (!evidence.exclusive || settled.outcome !== 'verdict' || settled.verdict !== 'billed') return;
  const sentence = `${opening(watched)} ${settled.sentence}`;
  // Before the verdict: a process that dies between the two finds both again.
  await raiseAlarm(books, watched, sentence);
  if (!(await appendVerdict(books, watched, attempt, { verdict: 'billed', sentence }))) return;
  await book(books, watched, attempt, 'billed', null);
  await contradict(books, watched, attempt, sentence);
}

/** A bill came back: of several that were counted together it is again a number that was found. */
async function takeBack(
  books: Books,
  watched: WatchedVerdict,
  attempt: Attempt,
  sentence: string,
  group?: Group,
): Promise<void> {
  const back = { verdict: 'not_billed', sentence, group: group?.id } as const;
  if (!(await appendVerdict(books, watched, attempt, back))) return;
  await books.ledger.close(watched);
  await carryOut(books, watched, attempt, { verdict: 'not_billed', sentence });
}

/**
 * What the readings decide for which all discounts are known. Undefined where they decide nothing, or the later ones
 * decide otherwise: these are looked at once theirs are known.
 */
async function settlePriced(
  books: Books,
  watched: WatchedVerdict,
  attempt: Attempt,
  how: { sinceMs?: number } = {},
): Promise<(Decided & { nowMs: number }) | undefined> {
  const knownUntilMs = await books.discounts.knownUntilMs();
  const evidence = await gatherEvidence(books, watched.kind, watched, attempt, how);
  const settled = settle(upTo(evidence, knownUntilMs - (books.now() - evidence.nowMs)));
  if (!evidence.exclusive || !isDecided(settled) || !isBorneOut(settled, settle(evidence))) return undefined;
  return { ...settled, nowMs: evidence.nowMs };
}

/** The row has ended undecided, and its case goes on: what the balance says at last corrects both. */
async function settleLate(books: Books, watched: WatchedVerdict, attempt: Attempt): Promise<void> {
  const settled = await settlePriced(books, watched, attempt);
  if (settled === undefined) return;
  const { verdict, sentence, nowMs } = settled;
  if (!(await appendVerdict(books, watched, attempt, { verdict, sentence }))) return;
  // With the time that did not count for the evidence: it is no earlier than it was.
  const goneMs = settled.verdict === 'not_billed' ? settled.goneMs + books.now() - nowMs : null;
  await book(books, watched, attempt, verdict, goneMs);
  await carryOut(books, watched, attempt, { verdict, sentence });
}

/** False where something was recorded since the attempt was read: a late answer, or a person, wins. */
async function appendVerdict(
  books: Books,
  watched: WatchedVerdict,
  seen: Attempt,
  found: { verdict: 'billed' | 'not_billed'; sentence: string; group?: string | undefined },
): Promise<boolean> {
  const stated = { state: 'verdict', atMs: books.now(), ...defined(found) } as const;
  if (!(await books.ledger.append(watched, stated, seen))) return false;
  await watch(books, watched, watched.kind, stated);
  return true;
}

async function book(
  books: Books,
  watched: WatchedVerdict,
  attempt: Attempt,
  verdict: 'billed' | 'not_billed',
  goneMs: number | null,
): Promise<void> {
  const intent = intentOf(attempt);
  // Without a claim that can be read nobody knows what it cost.
  if (intent === undefined) return;
  const endedAtMs = Math.max(books.now(), slotUntilMs(books, attempt, watched.kind));
  const row = await legibleRow(books, watched, intent);
  if (row === undefined) return bookUnread(books, watched, intent, endedAtMs);
  await bookVerdict(books, row, watched, { attempt, endedAtMs, verdict, goneMs });
}
