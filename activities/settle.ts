import type { QuietTime } from '../src/books/check/counted-time.js';
import { settleCase } from '../src/books/settle-case.js';
import { slotUntilMs } from '../src/books/waits.js';
import type { AttemptInput, SettleInput, SettleResult, SubmitResult } from '../src/contract/activities.js';
import type { AttemptRef } from '../src/domain/attempt.js';
import { intentOf, standingOf } from '../src/domain/standing.js';
import { loadRow } from '../src/home/row-work.js';
import { orderedPolicy } from '../src/home/run-order.js';
import { isTrusted } from '../src/home/verdicts.js';
import { isUnderWay } from './claims.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { noteCase, noteCaseEnd } from './semaphore-notes.js';
import { resultOf } from './submit-result.js';

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
  const { row } = await loadRow(deps, rowRef);
  const said = { ambiguity: input.ambiguity ?? 'hold', wasteMaxNano: 0 } as const;
  const mayGroup = (await orderedPolicy(deps, rowRef.batch, said)).ambiguity !== 'hold';
  const step = await settleCase(deps.books, row, ref, attempt, mayGroup);
  if (step.outcome === 'answered') return { result: await standingResult(deps, ref, rowRef.kind) };
  if (step.outcome === 'verdict') return { result: { ...step, ...(await trustOf(deps)) } };
  const { quiet, ...result } = step;
  return { result, quiet };
}

/** A claim whose submit activity was not heard of: it may still run, or the claim becomes a case. */
async function takenUp(deps: Dependencies, ref: AttemptRef): Promise<SettleResult> {
  if (isUnderWay(deps, ref)) return { outcome: 'wait', delayMs: 5_000 };
  const result = await inspect(deps, ref);
  const isCase = result.outcome === 'standing' && result.standing === 'open_case';
  if (isCase) return { outcome: 'wait', delayMs: 100 };
  return { outcome: 'standing', result, slotUntilMs: deps.now(), ...(await trustOf(deps)) };
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
