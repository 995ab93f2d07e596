import type { Attempt, AttemptRef, Verdict } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { Kind } from '../domain/kind.js';
import { hasJob, intentOf, standingOf, wholeRefusal } from '../domain/standing.js';
import { nameOf } from '../home/attempts.js';
import { statesOf } from '../home/row-standing.js';
import { policyOf, runOrder } from '../home/run-order.js';
import {
  type Group,
  isTrusted,
  unwatchVerdict,
  type WatchedVerdict,
  watchedVerdicts,
  watchVerdict,
} from '../home/verdicts.js';
import { legibleRow } from './attempt-price.js';
import { bookVerdict } from './charges.js';
import { type Evidence, newestAlone, upTo } from './check/evidence.js';
import { settle } from './check/settle.js';
import { contradict, opening } from './contradict.js';
import { gatherEvidence } from './evidence.js';
import { bookUnread } from './finish-books.js';
import { isGrouped, isMiscounted, spentLabels } from './group-labels.js';
import { refundOfLabel } from './label-refund.js';
import type { Books } from './open-books.js';
import { reviseRow } from './revise.js';
import { renderMaxMs, slotUntilMs } from './waits.js';

/** Verdicts that stand are looked at again with every reading: the service may be later than was assumed. */

/** How long after a verdict what contradicts it is still looked for: the longest render once more, and an hour. */
const WATCH_MS = 3_600_000;

export async function watch(
  books: Books,
  ref: AttemptRef,
  kind: Kind,
  verdict: Verdict,
  untilMs = books.now() + (renderMaxMs(books, kind) + WATCH_MS) / books.settings.timeScale,
): Promise<void> {
  const { batch, id, n } = ref;
  await watchVerdict(books.home, { batch, id, n, kind, verdict, atMs: books.now(), untilMs });
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
  if (watched.verdict === 'not_billed' && hasJob(standing)) {
    const isCounted = isGrouped(attempt);
    // Which of interchangeable attempts was billed is a label: as long as no further job turns up the count was right.
    if (isCounted && !(await isMiscounted(books, nameOf(watched)))) return;
    await contradict(books, watched, attempt, `${opening(watched)} ${isCounted ? TOO_MANY : EXISTS}`);
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
  const evidence =
    watched.verdict === 'billed'
      ? await pricedEvidence(books, watched, attempt, since)
      : await gatherEvidence(books, watched.kind, watched, attempt, since);
  if (!evidence.exclusive) return;
  const settled = settle(watched.verdict === 'not_billed' ? newestAlone(evidence) : evidence);
  if (settled.outcome !== 'verdict') return;
  if (watched.verdict === 'not_billed' && settled.verdict === 'billed') {
    const sentence = `${opening(watched)} ${settled.sentence}`;
    await appendVerdict(books, watched, 'billed', sentence);
    await book(books, watched, attempt, 'billed', null);
    await contradict(books, watched, attempt, sentence);
  }
  if (watched.verdict === 'billed' && settled.verdict === 'not_billed') {
    await takeBack(books, watched, attempt, `the bill came back: ${settled.sentence}`);
  }
}

/** A bill came back: of several that were counted together it is again a number that was found. */
async function takeBack(
  books: Books,
  watched: WatchedVerdict,
  attempt: Attempt,
  sentence: string,
  group?: Group,
): Promise<void> {
  await appendVerdict(books, watched, 'not_billed', sentence, group?.id);
  await books.ledger.close(watched);
  await goOnUnpaid(books, watched, attempt, sentence);
}

/** Up to the last reading for which all discounts are known; later ones are looked at once they are. */
async function pricedEvidence(
  books: Books,
  watched: WatchedVerdict,
  attempt: Attempt,
  how: { sinceMs?: number } = {},
): Promise<Evidence> {
  const knownUntilMs = await books.discounts.knownUntilMs();
  const evidence = await gatherEvidence(books, watched.kind, watched, attempt, how);
  return upTo(evidence, knownUntilMs - (books.now() - evidence.nowMs));
}

/** The row has ended undecided, and its case goes on: what the balance says at last corrects both. */
async function settleLate(books: Books, watched: WatchedVerdict, attempt: Attempt): Promise<void> {
  const evidence = await pricedEvidence(books, watched, attempt);
  const settled = settle(evidence);
  if (!evidence.exclusive || settled.outcome !== 'verdict' || settled.verdict === 'undecided') return;
  const { verdict, sentence } = settled;
  await appendVerdict(books, watched, verdict, sentence);
  // With the time that did not count for the evidence: it is no earlier than it was.
  const goneMs = verdict === 'not_billed' ? settled.goneMs + books.now() - evidence.nowMs : null;
  await book(books, watched, attempt, verdict, goneMs);
  if (verdict === 'not_billed') return goOnUnpaid(books, watched, attempt, sentence);
  const seenStates = statesOf(await books.ledger.read(watched.batch, watched.id));
  await reviseRow(books, watched, { revision: 'billed', sentence, seenStates });
}

/** The row is unpaid again: by its batch's policy it is sent anew, else it has failed. */
async function goOnUnpaid(
  books: Books,
  { batch, id }: WatchedVerdict,
  attempt: Attempt,
  sentence: string,
): Promise<void> {
  const intent = intentOf(attempt);
  const isRefused = wholeRefusal(attempt) !== undefined;
  const goesOn = intent !== undefined && !isRefused && (await maySendAgain(books, batch));
  const states = statesOf(await books.ledger.read(batch, id));
  // A record that has not seen the last state is outdone by it.
  await reviseRow(books, { batch, id }, { revision: 'unbilled', sentence, seenStates: goesOn ? states - 1 : states });
  if (!goesOn) return;
  const { generation, part, index, kind } = intent;
  const row = { batch, generation, part, index, id, kind };
  // A batch that has ended finds it at its next order.
  await books.messenger.reopen({ generation, rows: 0, row });
}

async function maySendAgain(books: Books, batch: string): Promise<boolean> {
  const [policy, { ends }, trusted] = await Promise.all([
    policyOf(books, batch),
    runOrder(books, batch, 'unsaid'),
    isTrusted(books.home),
  ]);
  return policy !== 'hold' && ends === undefined && trusted;
}

async function appendVerdict(
  books: Books,
  watched: WatchedVerdict,
  verdict: 'billed' | 'not_billed',
  sentence: string,
  group?: string,
): Promise<void> {
  const stated = { state: 'verdict', atMs: books.now(), verdict, sentence, ...defined({ group }) } as const;
  await books.ledger.append(watched, stated);
  await watch(books, watched, watched.kind, verdict);
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
