import type { Evidence } from '../src/books/check/evidence.js';
import { settle } from '../src/books/check/settle.js';
import { clockText } from '../src/books/check/story.js';
import type { Attempt, AttemptRef, Verdict } from '../src/domain/attempt.js';
import { KINDS, type Kind } from '../src/domain/kind.js';
import { intentOf, standingOf } from '../src/domain/standing.js';

import { statesOf } from '../src/home/row-standing.js';
import {
  distrust,
  isTrusted,
  unwatchVerdict,
  type WatchedVerdict,
  watchedVerdicts,
  watchVerdict,
} from '../src/home/verdicts.js';
import { rowOf } from './attempts-since.js';
import { bookVerdict } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { gatherEvidence } from './evidence.js';
import { policyOf, runOrder } from './ordered.js';
import { reviseRow } from './revise.js';
import { renderMaxMs, slotUntilMs } from './waits.js';

/** Verdicts that stand are looked at again with every reading: the service may be later than was assumed. */

/** How long after a verdict what contradicts it is still looked for: the longest render once more, and an hour. */
const WATCH_MS = 3_600_000;

export async function watch(
  deps: Dependencies,
  ref: AttemptRef,
  kind: Kind,
  verdict: Verdict,
  untilMs = deps.now() + (renderMaxMs(deps, KINDS.indexOf(kind)) + WATCH_MS) / deps.settings.timeScale,
): Promise<void> {
  const { batch, id, n } = ref;
  await watchVerdict(deps.home, { batch, id, n, kind, verdict, atMs: deps.now(), untilMs });
}

/** Compares every watched verdict with what the ledger and the balance show now. */
export async function auditVerdicts(deps: Dependencies): Promise<void> {
  for (const watched of await watchedVerdicts(deps.home)) {
    const attempt = await deps.ledger.readAttempt(watched);
    if (attempt) await audit(deps, watched, attempt);
    if (!attempt || deps.now() > watched.untilMs) await unwatchVerdict(deps.home, watched);
  }
}

async function audit(deps: Dependencies, watched: WatchedVerdict, attempt: Attempt): Promise<void> {
  const standing = standingOf(attempt);
  if (watched.verdict === 'not_billed' && (standing === 'created' || standing === 'done' || standing === 'rendered')) {
    // Which of interchangeable attempts was billed is a label: the count was right all the same.
    if (isGrouped(attempt)) return unwatchVerdict(deps.home, watched);
    await contradict(deps, watched, `${opening(watched)} a late answer shows that the job exists`);
    return unwatchVerdict(deps.home, watched);
  }
  // A person, or a later answer, has settled it otherwise.
  if (standing !== watched.verdict) return unwatchVerdict(deps.home, watched);
  if (watched.verdict === 'undecided') return settleLate(deps, watched, attempt);
  // What had shown before the verdict contradicts nothing: a bill that came back, or a quiet before a late job.
  const evidence = await gatherEvidence(deps, watched.kind, watched, attempt, { sinceMs: watched.atMs });
  if (!evidence.exclusive) return;
  const settled = settle(watched.verdict === 'not_billed' ? newestAlone(evidence) : evidence);
  if (settled.outcome !== 'verdict') return;
  if (watched.verdict === 'not_billed' && settled.verdict === 'billed') {
    const sentence = `${opening(watched)} ${settled.sentence}`;
    await appendVerdict(deps, watched, 'billed', sentence);
    await book(deps, watched, attempt, 'billed', null);
    await contradict(deps, watched, sentence);
  }
  if (watched.verdict === 'billed' && settled.verdict === 'not_billed') {
    const sentence = `the bill came back: ${settled.sentence}`;
    await appendVerdict(deps, watched, 'not_billed', sentence);
    await deps.ledger.close(watched);
    await goOnUnpaid(deps, watched, attempt, sentence);
  }
}

/** The row has ended undecided, and its case goes on: what the balance says at last corrects both. */
async function settleLate(deps: Dependencies, watched: WatchedVerdict, attempt: Attempt): Promise<void> {
  const evidence = await gatherEvidence(deps, watched.kind, watched, attempt);
  const settled = settle(evidence);
  if (!evidence.exclusive || settled.outcome !== 'verdict' || settled.verdict === 'undecided') return;
  const { verdict, sentence } = settled;
  await appendVerdict(deps, watched, verdict, sentence);
  await book(deps, watched, attempt, verdict, verdict === 'not_billed' ? settled.goneMs : null);
  if (verdict === 'not_billed') return goOnUnpaid(deps, watched, attempt, sentence);
  const seenStates = statesOf(await deps.ledger.read(watched.batch, watched.id));
  await reviseRow(deps, watched, { revision: 'billed', sentence, seenStates });
}

/** The row is unpaid again: by its batch's policy it is sent anew, else it has failed. */
async function goOnUnpaid(
  deps: Dependencies,
  { batch, id }: WatchedVerdict,
  attempt: Attempt,
  sentence: string,
): Promise<void> {
  const intent = intentOf(attempt);
  const goesOn = intent !== undefined && (await maySendAgain(deps, batch));
  const states = statesOf(await deps.ledger.read(batch, id));
  // A record that has not seen the last state is outdone by it.
  await reviseRow(deps, { batch, id }, { revision: 'unbilled', sentence, seenStates: goesOn ? states - 1 : states });
  if (!goesOn) return;
  const { generation, part, index, kind } = intent;
  const row = { batch, generation, part, index, id, kind: KINDS.indexOf(kind) };
  // A batch that has ended finds it at its next order.
  await deps.messenger.reopen({ generation, rows: 0, row });
}

async function maySendAgain(deps: Dependencies, batch: string): Promise<boolean> {
  const [policy, { ends }, trusted] = await Promise.all([
    policyOf(deps, batch),
    runOrder(deps, batch, 'unsaid'),
    isTrusted(deps.home),
  ]);
  return policy !== 'hold' && ends === undefined && trusted;
}

/** A charge after its time follows from no earlier reading: the newest must show it by itself. */
function newestAlone(evidence: Evidence): Evidence {
  const { readings, subject } = evidence;
  return {
    ...evidence,
    readings: [...readings.filter(({ atMs }) => atMs <= subject.claimedAtMs), ...readings.slice(-1)],
  };
}

function isGrouped({ states }: Attempt): boolean {
  return states.some((state) => state.state === 'verdict' && state.group !== undefined);
}

/** The assumptions did not hold: nothing is sent again by itself until a person has looked. */
async function contradict(deps: Dependencies, watched: WatchedVerdict, sentence: string): Promise<void> {
  const { batch, id, n } = watched;
  deps.log.error({ batch, id, n, sentence }, 'a verdict was contradicted; if-proved is off for this account');
  await distrust(deps.home, { why: `attempt ${n} of row '${id}' in batch '${batch}': ${sentence}`, atMs: deps.now() });
  const attempts = await deps.ledger.read(batch, id);
  // With a handle and no later attempt there is something to carry on, which the next run does.
  const goesOn = attempts.length === n && attempts.at(-1)?.states.at(-1)?.state !== 'verdict';
  const seen = goesOn ? {} : { seenStates: statesOf(attempts) };
  await reviseRow(deps, watched, { revision: 'contradicted', sentence, attempts: attempts.length, ...seen });
}

async function appendVerdict(
  deps: Dependencies,
  watched: WatchedVerdict,
  verdict: 'billed' | 'not_billed',
  sentence: string,
): Promise<void> {
  await deps.ledger.append(watched, { state: 'verdict', atMs: deps.now(), verdict, sentence });
  await watch(deps, watched, watched.kind, verdict);
}

async function book(
  deps: Dependencies,
  watched: WatchedVerdict,
  attempt: Attempt,
  verdict: 'billed' | 'not_billed',
  goneMs: number | null,
): Promise<void> {
  const intent = intentOf(attempt);
  // Without a claim that can be read nobody knows what it cost.
  if (intent === undefined) return;
  const endedAtMs = Math.max(deps.now(), slotUntilMs(deps, attempt, KINDS.indexOf(watched.kind)));
  const row = await rowOf(deps, watched, intent);
  await bookVerdict(deps, { row }, watched, { attempt, endedAtMs, verdict, goneMs });
}

function opening({ verdict, atMs }: WatchedVerdict): string {
  return `the verdict '${verdict}' of ${clockText(atMs)} is contradicted:`;
}
