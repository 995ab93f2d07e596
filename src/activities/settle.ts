import type { AttemptInput, SettleResult, SubmitResult } from '../contract/activities.js';
import { type Attempt, type AttemptRef, intentOf, standingOf } from '../domain/attempt.js';
import { settle } from '../reconcile/settle.js';
import { isTrusted } from '../store/trust.js';
import { bookFollowUp, bookGone, bookLost } from './charges.js';
import type { Dependencies } from './dependencies.js';
import { gatherEvidence } from './evidence.js';
import { withRecords } from './failures.js';
import { listCredits } from './prices.js';
import { loadRow } from './row-work.js';
import { noteCase, noteCaseEnd } from './semaphore-notes.js';
import { resultOf } from './submit-result.js';
import { isUnderWay } from './under-way.js';
import { watch } from './verdicts.js';
import { slotUntilMs } from './waits.js';

export interface SettleActivities {
  /**
   * What became of an attempt whose submit activity was not heard of: without a claim it is made void, which proves
   * that nobody sent it; a claim without an answer becomes a case.
   */
  inspectAttempt(input: AttemptInput): Promise<SubmitResult>;
  /** One step of the credits check: gathers the evidence, asks the pure verdict, records it. */
  settle(input: AttemptInput): Promise<SettleResult>;
}

export function settleActivities(deps: Dependencies): SettleActivities {
  return {
    inspectAttempt: ({ row, n }) => withRecords(() => inspect(deps, { batch: row.batch, id: row.id, n })),

    async settle({ row, n }) {
      const ref: AttemptRef = { batch: row.batch, id: row.id, n };
      const step = await withRecords(() => settleStep(deps, { row, n }));
      if (step.outcome === 'wait') await noteCase(deps, ref, await withRecords(() => deps.ledger.readAttempt(ref)));
      else await noteCaseEnd(deps, ref, isCreated(step));
      return step;
    },
  };
}

function isCreated(step: SettleResult): boolean {
  return step.outcome === 'standing' && step.result.outcome === 'standing' && step.result.standing === 'created';
}

async function inspect(deps: Dependencies, ref: AttemptRef): Promise<SubmitResult> {
  const atMs = deps.now();
  const found = await deps.ledger.readAttempt(ref);
  if (!found) {
    const voided = await deps.ledger.voidClaim(ref, 'no claim was written before the time-out', { atMs });
    if (voided) return { outcome: 'standing', n: ref.n, standing: 'void' };
  }
  const attempt = (await deps.ledger.readAttempt(ref)) ?? { n: ref.n, states: [], torn: true };
  if (standingOf(attempt) === 'claimed' && !isUnderWay(deps, ref)) {
    const evidence = { rule: 'T12', message: 'the process or its activity ended between the claim and the answer' };
    await deps.ledger.append(ref, { state: 'unknown', atMs, evidence });
  }
  return resultOf((await deps.ledger.readAttempt(ref)) ?? attempt);
}

async function settleStep(deps: Dependencies, { row: rowRef, n }: AttemptInput): Promise<SettleResult> {
  const ref: AttemptRef = { batch: rowRef.batch, id: rowRef.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  const standing = attempt && standingOf(attempt);
  if (!attempt || standing === 'claimed') {
    if (isUnderWay(deps, ref)) return { outcome: 'wait', delayMs: 5_000 };
    const result = await inspect(deps, ref);
    const isCase = result.outcome === 'standing' && result.standing === 'open_case';
    const slot = { slotUntilMs: deps.now() };
    return isCase
      ? { outcome: 'wait', delayMs: 100 }
      : { outcome: 'standing', result, ...slot, ...(await trustOf(deps)) };
  }
  const work = await loadRow(deps, rowRef);
  const endedAtMs = slotUntilMs(deps, attempt, rowRef.kind, work.adapter.flow);
  if (standing !== 'open_case') return standingResult(deps, attempt, endedAtMs);
  const evidence = await gatherEvidence(deps, work.row.kind, ref, attempt);
  // Time that did not count for the evidence: with it added a time of the evidence is no earlier than it was.
  const skippedMs = deps.now() - evidence.nowMs;
  const settled = settle(evidence);
  deps.log.info({ ...ref, outcome: settled.outcome, sentence: settled.sentence }, 'credits check');
  if (settled.outcome === 'wait') return { outcome: 'wait', delayMs: settled.untilMs - evidence.nowMs };
  const { verdict, sentence } = settled;
  const atMs = deps.now();
  // A late answer may have been recorded meanwhile: it wins over the verdict.
  const stands = await deps.ledger.append(ref, { state: 'verdict', atMs, verdict, sentence });
  if (!stands) return standingResult(deps, (await deps.ledger.readAttempt(ref)) ?? attempt, endedAtMs);
  const { claimedAtMs, expected: cost } = evidence.subject;
  if (settled.verdict === 'not_billed') {
    await bookGone(deps, work, ref, { claimedAtMs, goneMs: settled.goneMs + skippedMs, cost });
    await deps.ledger.close(ref);
  } else {
    const list = await listCredits(deps, work.row);
    const lost = { claimedAtMs, endedAtMs, verdict: settled.verdict, seenAtMs: atMs, cost, list };
    await bookLost(deps, work.row.kind, ref, lost);
    await bookFollowUp(deps, work.row, ref, { fromMs: claimedAtMs, endedAtMs }, intentOf(attempt)?.expected ?? null);
  }
  if (verdict !== 'undecided') await watch(deps, ref, work.row.kind, verdict);
  return { outcome: 'verdict', verdict, slotUntilMs: endedAtMs, ...(await trustOf(deps)) };
}

async function standingResult(deps: Dependencies, attempt: Attempt, endedAtMs: number): Promise<SettleResult> {
  return { outcome: 'standing', result: resultOf(attempt), slotUntilMs: endedAtMs, ...(await trustOf(deps)) };
}

async function trustOf(deps: Dependencies): Promise<{ untrusted?: true }> {
  return (await isTrusted(deps.home)) ? {} : { untrusted: true };
}
