import { type QuietTime, quietFor } from '../src/books/check/counted-time.js';
import type { Evidence } from '../src/books/check/evidence.js';
import { settle } from '../src/books/check/settle.js';
import type { AttemptInput, SettleInput, SettleResult, SubmitResult } from '../src/contract/activities.js';
import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import type { Row } from '../src/domain/row.js';
import { intentOf, standingOf } from '../src/domain/standing.js';
import { isTrusted } from '../src/home/verdicts.js';
import { longestRenderMs } from '../src/kinds/expected.js';

import { bookVerdict } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { gatherEvidence } from './evidence.js';
import { withRecords } from './failures.js';
import { hasHint, isAskedFirst } from './hints.js';
import { orderedPolicy } from './ordered.js';
import { loadRow } from './row-work.js';
import { noteCase, noteCaseEnd } from './semaphore-notes.js';
import { heldAtMs, type Own, settleTogether } from './settle-together.js';
import { resultOf } from './submit-result.js';
import { isUnderWay } from './under-way.js';
import { watch } from './verdicts.js';
import { slotUntilMs } from './waits.js';

const HOUR_MS = 3_600_000;
/** A row whose output may have any length ends undecided so long after its answer was lost, and its case after a day. */
const ROW_WAITS_MS = 2 * HOUR_MS;
const SETTLED_WITHIN_MS = 24 * HOUR_MS;
/** So often what a lost answer named is asked after, ms. */
const ASK_EVERY_MS = 10_000;

export interface SettleActivities {
  /**
   * What became of an attempt whose submit activity was not heard of: without a claim it is made void, which proves
   * that nobody sent it; a claim without an answer becomes a case.
   */
  inspectAttempt(input: AttemptInput): Promise<SubmitResult>;
  /** One step of the credits check: gathers the evidence, asks the pure verdict, records it. */
  settle(input: SettleInput): Promise<SettleResult>;
}

export function settleActivities(deps: Dependencies): SettleActivities {
  return {
    inspectAttempt: ({ row, n }) => withRecords(() => inspect(deps, { batch: row.batch, id: row.id, n })),

    async settle(input) {
      const ref: AttemptRef = { batch: input.row.batch, id: input.row.id, n: input.n };
      const { result, quiet } = await withRecords(() => settleStep(deps, input));
      if (result.outcome !== 'wait') await noteCaseEnd(deps, ref, isCreated(result));
      else await noteCase(deps, ref, await withRecords(() => deps.ledger.readAttempt(ref)), quiet);
      return result;
    },
  };
}

function isCreated(step: SettleResult): boolean {
  return step.outcome === 'standing' && step.result.outcome === 'standing' && step.result.standing === 'created';
}

/** Makes void what nobody claimed, and a case of a claim that no process here is sending any more (T12). */
export async function inspect(deps: Dependencies, ref: AttemptRef): Promise<SubmitResult> {
  const atMs = deps.now();
  const found = await deps.ledger.readAttempt(ref);
  if (!found) {
    const voided = await deps.ledger.voidClaim(ref, 'no claim was written before the time-out', { atMs });
    if (voided) return { outcome: 'standing', n: ref.n, standing: 'void' };
  }
  const attempt = (await deps.ledger.readAttempt(ref)) ?? { n: ref.n, states: [], torn: true };
  if (standingOf(attempt) === 'claimed' && !isUnderWay(deps, ref)) {
    const caller = intentOf(attempt)?.caller;
    const gone = caller !== undefined && deps.callers.isGone(caller) ? { callerGone: true as const } : {};
    const message = 'the process or its activity ended between the claim and the answer';
    const evidence = { rule: 'T12', ...gone, message };
    await deps.ledger.append(ref, { state: 'unknown', atMs, evidence });
  }
  return resultOf(deps, ref, (await deps.ledger.readAttempt(ref)) ?? attempt);
}

interface Step {
  result: SettleResult;
  quiet?: QuietTime | undefined;
}

async function settleStep(deps: Dependencies, input: SettleInput): Promise<Step> {
  const { row: rowRef, n } = input;
  const ref: AttemptRef = { batch: rowRef.batch, id: rowRef.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  const standing = attempt && standingOf(attempt);
  if (!attempt || standing === 'claimed') return { result: await takenUp(deps, ref) };
  if (standing !== 'open_case') return { result: await standingResult(deps, ref, rowRef.kind) };
  const work = await loadRow(deps, rowRef);
  const said = { ambiguity: input.ambiguity ?? 'hold', wasteMaxNano: 0 } as const;
  const mayGroup = (await orderedPolicy(deps, rowRef.batch, said)).ambiguity !== 'hold';
  const evidence = await gatherEvidence(deps, work.row.kind, ref, attempt, { mayGroup });
  // Time that did not count for the evidence: with it added a time of the evidence is no earlier than it was.
  const skippedMs = deps.now() - evidence.nowMs;
  const settled = endOfRow(deps, work.row, evidence, await settleTogether(deps, evidence, settle(evidence)));
  deps.log.info({ ...ref, outcome: settled.outcome, sentence: settled.sentence }, 'credits check');
  if (settled.outcome === 'wait') return waitFor(deps, evidence, attempt, settled.untilMs - evidence.nowMs);
  const { verdict, sentence, group } = settled;
  if (isAskedFirst(deps, ref, attempt, evidence, verdict)) return waitFor(deps, evidence, attempt, ASK_EVERY_MS);
  // A late answer may have been recorded meanwhile: it wins over the verdict.
  const stated = { state: 'verdict', atMs: deps.now(), verdict, sentence, ...(group ? { group } : {}) } as const;
  if (!(await deps.ledger.append(ref, stated))) return { result: await standingResult(deps, ref, rowRef.kind) };
  const slotUntil = slotUntilMs(deps, attempt, rowRef.kind, work.row);
  const goneMs = verdict === 'not_billed' ? settled.goneMs + skippedMs : null;
  const held = settled.story && heldAtMs(settled.story, evidence.lambdaMs);
  await bookVerdict(deps, work, ref, { attempt, endedAtMs: slotUntil, verdict, goneMs, heldAtMs: held });
  if (verdict !== 'undecided') await watch(deps, ref, work.row.kind, verdict);
  else if (isLengthUnknown(deps, work.row)) {
    const untilMs = evidence.subject.t0Ms + skippedMs + SETTLED_WITHIN_MS / deps.settings.timeScale;
    await watch(deps, ref, work.row.kind, verdict, untilMs);
  }
  return { result: { outcome: 'verdict', verdict, slotUntilMs: slotUntil, ...(await trustOf(deps)) } };
}

/** Where nobody knows how long a render may take, its row does not wait for the end of its case. */
function endOfRow(deps: Dependencies, row: Row, { nowMs, subject }: Evidence, settled: Own): Own {
  if (settled.outcome !== 'wait' || !isLengthUnknown(deps, row)) return settled;
  if (nowMs < subject.t0Ms + ROW_WAITS_MS / deps.settings.timeScale) return settled;
  const end = 'the length of its output is not known, so the balance is watched for it for a day';
  return { outcome: 'verdict', verdict: 'undecided', sentence: `${settled.sentence}: ${end}` };
}

function isLengthUnknown({ settings }: Dependencies, row: Row): boolean {
  return !longestRenderMs(row, settings.waits).isLengthKnown;
}

/** A claim whose submit activity was not heard of: it may still run, or the claim becomes a case. */
async function takenUp(deps: Dependencies, ref: AttemptRef): Promise<SettleResult> {
  if (isUnderWay(deps, ref)) return { outcome: 'wait', delayMs: 5_000 };
  const result = await inspect(deps, ref);
  const isCase = result.outcome === 'standing' && result.standing === 'open_case';
  if (isCase) return { outcome: 'wait', delayMs: 100 };
  return { outcome: 'standing', result, slotUntilMs: deps.now(), ...(await trustOf(deps)) };
}

function waitFor(deps: Dependencies, evidence: Evidence, attempt: Attempt, delayMs: number): Step {
  const hinted = hasHint(attempt) ? { hinted: true as const } : {};
  const skippedMs = deps.now() - evidence.nowMs;
  const quiet = quietFor(evidence, HOUR_MS / deps.settings.timeScale, skippedMs);
  return {
    result: { outcome: 'wait', delayMs, ...hinted },
    quiet: quiet && { fromMs: quiet.fromMs + skippedMs, untilMs: quiet.untilMs + skippedMs },
  };
}

async function standingResult(deps: Dependencies, ref: AttemptRef, kind: number): Promise<SettleResult> {
  const attempt = (await deps.ledger.readAttempt(ref)) ?? { n: ref.n, states: [], torn: true };
  const slotUntil = slotUntilMs(deps, attempt, kind);
  const result = await resultOf(deps, ref, attempt);
  return { outcome: 'standing', result, slotUntilMs: slotUntil, ...(await trustOf(deps)) };
}

async function trustOf(deps: Dependencies): Promise<{ untrusted?: true }> {
  return (await isTrusted(deps.home)) ? {} : { untrusted: true };
}
