import type { ByPerson } from '../contract/attempts.js';
import type { Attempt, AttemptRef, Verdict } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { Row } from '../domain/row.js';
import { nameOf } from '../home/attempts.js';
import { longestRenderMs } from '../kinds/expected.js';
import { bookVerdict } from './charges.js';
import { type QuietTime, quietFor } from './check/counted-time.js';
import { type Evidence, upTo } from './check/evidence.js';
import { ownTimeMs } from './check/patience.js';
import { isBorneOut, type Settlement, settle } from './check/settle.js';
import { gatherEvidence } from './evidence.js';
import { heldAtMs, type Own, settleTogether } from './groups.js';
import type { Books } from './open-books.js';
import { tellOfRise } from './strangers.js';
import { watch } from './verdicts.js';
import { slotUntilMs } from './waits.js';

/** One step of the credits check: gathers the evidence on a lost answer, asks the pure verdict, enters it in the books. */

const HOUR_MS = 3_600_000;
/** A row whose output may have any length ends undecided so long after its answer was lost, and its case after a day. */
const ROW_WAITS_MS = 2 * HOUR_MS;
const SETTLED_WITHIN_MS = 24 * HOUR_MS;
/** So often what a lost answer named is asked after, ms. */
const ASK_EVERY_MS = 10_000;
/** So long after the submit, unscaled ms: what was accepted may not be there to be seen yet. */
const ASK_FOR_MS = 600_000;
/** What was asked so shortly before a decision, unscaled ms, need not be asked again; on a slow machine, of the clock. */
const ASKED_MS = 60_000;
const ASKED_MIN_MS = 5_000;
/** At the least so long after the discounts could not be read they are asked for again, ms; ever more rarely. */
const UNREAD_EVERY_MS = 10_000;
/** Beyond this the oldest are forgotten, and asked after once more. */
const KEPT_MAX = 1_000;

export type CaseStep =
  /**
   * `hinted`: the lost answer named something that can be asked after; `quiet`: when nothing should be submitted;
   * `discountsSinceMs`: the discounts are to be read as they are then or later.
   */
  | { outcome: 'wait'; delayMs: number; hinted?: true; quiet: QuietTime | undefined; discountsSinceMs?: number }
  | ({ outcome: 'verdict'; verdict: Verdict; slotUntilMs: number } & ByPerson)
  /** A late answer was recorded meanwhile: it wins over the verdict. */
  | { outcome: 'answered' };

/** What an answer is weighed by. */
export interface Weighing {
  /** The batch's policy settles interchangeable cases by their count. */
  mayGroup: boolean;
  /** The discounts cannot be read. */
  withoutDiscounts?: boolean;
  /** How many handles callbacks have named for it. */
  noted?: number;
}

export async function settleCase(
  books: Books,
  row: Row,
  ref: AttemptRef,
  attempt: Attempt,
  { mayGroup, withoutDiscounts = false, noted = 0 }: Weighing,
): Promise<CaseStep> {
  const { settings, ledger, log } = books;
  const isHinted = noted > 0 || hasHint(attempt);
  // Before the evidence is gathered: what comes meanwhile may be in a part of it alone.
  const knownUntilMs = await books.discounts.knownUntilMs();
  const evidence = await gatherEvidence(books, row.kind, ref, attempt, { mayGroup });
  // Time that did not count for the evidence: with it added a time of the evidence is no earlier than it was.
  const skippedMs = books.now() - evidence.nowMs;
  const weighed = weigh(evidence, { untilMs: knownUntilMs - skippedMs, withoutDiscounts });
  if (weighed.outcome === 'unpriced') {
    await books.discounts.lookAgain();
    const discountsSinceMs = weighed.restsOnMs + skippedMs;
    const everyMs = Math.max(UNREAD_EVERY_MS, (evidence.nowMs - evidence.subject.claimedAtMs) / 32);
    return { ...waitFor(books, evidence, isHinted, everyMs), discountsSinceMs };
  }
  if (weighed.rise) await tellOfRise(books, weighed.rise.balanceNano, weighed.rise.atMs + skippedMs);
  const settled = endOfRow(books, row, evidence, await settleTogether(books, evidence, weighed));
  log.info({ ...ref, outcome: settled.outcome, sentence: settled.sentence }, 'credits check');
  if (settled.outcome === 'wait') return waitFor(books, evidence, isHinted, settled.untilMs - evidence.nowMs);
  const { verdict, sentence, group, byPerson } = settled;
  if (isHinted && isAskedFirst(books, ref, noted, evidence, verdict))
    return waitFor(books, evidence, isHinted, ASK_EVERY_MS);
  const stated = { state: 'verdict', atMs: books.now(), verdict, sentence, ...defined({ group, byPerson }) } as const;
  if (!(await ledger.append(ref, stated, attempt))) return { outcome: 'answered' };
  const endedAtMs = slotUntilMs(books, attempt, row.kind, row);
  const goneMs = verdict === 'not_billed' ? settled.goneMs + skippedMs : null;
  const held = settled.story && heldAtMs(settled.story, evidence.lambdaMs);
  await bookVerdict(books, row, ref, { attempt, endedAtMs, verdict, goneMs, heldAtMs: held });
  if (verdict !== 'undecided') await watch(books, ref, row.kind, stated);
  else if (isLengthUnknown(books, row)) {
    const untilMs = evidence.subject.t0Ms + skippedMs + SETTLED_WITHIN_MS / settings.timeScale;
    await watch(books, ref, row.kind, stated, untilMs);
  }
  return { outcome: 'verdict', verdict, slotUntilMs: endedAtMs, ...defined({ byPerson }) };
}

/**
 * A verdict, or a count, rests on readings for which all discounts are known (`untilMs`): jobs at half their price look
 * like fewer at the whole one. Where they cannot be read a bill stands all the same, and the rest ends undecided.
 */
function weigh(
  evidence: Evidence,
  { untilMs, withoutDiscounts }: { untilMs: number; withoutDiscounts: boolean },
): Settlement | { outcome: 'unpriced'; restsOnMs: number } {
  const settled = settle(evidence);
  const { restsOnMs } = settled;
  if (restsOnMs === undefined || restsOnMs <= untilMs) return settled;
  const earlier = settle(upTo(evidence, untilMs));
  if (earlier.restsOnMs !== undefined && isBorneOut(earlier, settled)) return earlier;
  const isBilled = settled.outcome === 'verdict' && settled.verdict === 'billed';
  if (withoutDiscounts && isBilled) return settled;
  const isOver = evidence.nowMs >= ownTimeMs(evidence, evidence.subject) + evidence.giveUpAfterMs;
  if (!withoutDiscounts || !isOver) return { outcome: 'unpriced', restsOnMs };
  return { outcome: 'verdict', verdict: 'undecided', sentence: 'undecided: the discounts could not be read' };
}

/** Where nobody knows how long a render may take, its row does not wait for the end of its case. */
function endOfRow(books: Books, row: Row, { nowMs, subject }: Evidence, settled: Own): Own {
  if (settled.outcome !== 'wait' || !isLengthUnknown(books, row)) return settled;
  if (nowMs < subject.t0Ms + ROW_WAITS_MS / books.settings.timeScale) return settled;
  const end = 'the length of its output is not known, so the balance is watched for it for a day';
  return { outcome: 'verdict', verdict: 'undecided', sentence: `${settled.sentence}: ${end}` };
}

function isLengthUnknown({ settings }: Books, row: Row): boolean {
  return !longestRenderMs(row, settings.waits).isLengthKnown;
}

type Wait = Extract<CaseStep, { outcome: 'wait' }>;

function waitFor(books: Books, evidence: Evidence, isHinted: boolean, delayMs: number): Wait {
  const skippedMs = books.now() - evidence.nowMs;
  const quiet = quietFor(evidence, HOUR_MS / books.settings.timeScale, skippedMs);
  return {
    ...{ outcome: 'wait', delayMs, ...(isHinted ? { hinted: true } : {}) },
    quiet: quiet && { fromMs: quiet.fromMs + skippedMs, untilMs: quiet.untilMs + skippedMs },
  };
}

/** A handle or an output's URL that the lost answer named: asking after it may bring what was paid for. */
function hasHint({ states }: Attempt): boolean {
  return states.some(
    (state) => 'salvagedHandle' in state || (state.state === 'unknown' && state.evidence.outputUrl !== undefined),
  );
}

/**
 * Before the service is asked: a try that fails counts as well, and the case goes on without it. `noted`: how many
 * handles callbacks had named until then.
 */
export function noteAsked({ asked, now }: Books, ref: AttemptRef, noted: number): void {
  asked.delete(nameOf(ref));
  asked.set(nameOf(ref), { atMs: now(), noted });
  const [oldest] = asked.keys();
  if (asked.size > KEPT_MAX && oldest !== undefined) asked.delete(oldest);
}

/** What a lost answer named is asked after before anything is decided that gives the output up. */
function isAskedFirst(
  { asked, now, settings: { timeScale } }: Books,
  ref: AttemptRef,
  noted: number,
  { nowMs, subject }: Evidence,
  verdict: Verdict,
): boolean {
  if (verdict !== 'not_billed' && nowMs < subject.t0Ms + ASK_FOR_MS / timeScale) return true;
  // A reading that waited for the service to come back may be the first word of it for hours.
  const last = asked.get(nameOf(ref));
  if (last === undefined || last.noted < noted) return true;
  return now() - last.atMs > Math.max(ASKED_MIN_MS, ASKED_MS / timeScale);
}
