import type { QuietTime } from '../src/books/check/counted-time.js';
import { finishBooks } from '../src/books/finish-books.js';
import { settleCase } from '../src/books/settle-case.js';
import { watch } from '../src/books/verdicts.js';
import { slotUntilMs } from '../src/books/waits.js';
import type {
  AttemptInput,
  OverrideInput,
  OverrideResult,
  ReserveInput,
  ReserveResult,
  SettleInput,
  SettleResult,
  SubmitResult,
} from '../src/contract/attempts.js';
import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import { defined } from '../src/domain/defined.js';
import type { Kind } from '../src/domain/kind.js';
import { handleOf, intentOf, refusalOf, standingOf } from '../src/domain/standing.js';
import { loadRow } from '../src/home/row-work.js';
import { orderedPolicy } from '../src/home/run-order.js';
import { isTrusted } from '../src/home/verdicts.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { isUnderWay } from './row/claims.js';
import { override, reservePayment, returnPayment } from './row/payments.js';
import { noteCase, noteCaseEnd } from './row/semaphore-notes.js';
import { resultOf } from './row/submit-guard.js';
import { handlesNoted } from './salvage.js';

export interface SettleActivities {
  /**
   * What became of an attempt whose submit activity was not heard of: without a claim it is made void, which proves
   * that nobody sent it; a claim without an answer becomes a case.
   */
  inspectAttempt(input: AttemptInput): Promise<SubmitResult>;
  /** One step of the credits check: gathers the evidence, asks the pure verdict, records it. */
  settle(input: SettleInput): Promise<SettleResult>;
  /**
   * Reserves the price in the waste book, for what ended undecided and once a row: with `always` as far as the batch's
   * waste limit goes, with `sync` for a synchronous call below `sync.maxWaste` as well. What a person has ordered was
   * reserved with the order.
   */
  reservePayment(input: ReserveInput): Promise<ReserveResult>;
  /** Gives the reservation back of a payment that is not made; one that a person or a policy has granted stays. */
  returnPayment(input: AttemptInput): Promise<void>;
  /** Records that another attempt may be made; a late state that was recorded meanwhile wins. */
  override(input: OverrideInput): Promise<OverrideResult>;
}

export function settleActivities(deps: Dependencies): SettleActivities {
  return {
    inspectAttempt: ({ row, n }) => withRecords(() => inspect(deps, { batch: row.batch, id: row.id, n })),

    async settle(input) {
      const ref: AttemptRef = { batch: input.row.batch, id: input.row.id, n: input.n };
      const { result, quiet } = await withRecords(() => settleStep(deps, input));
      if (result.outcome !== 'wait') {
        await noteCaseEnd(deps, ref, isCreated(result));
        await withRecords(() => confirmNoted(deps, input));
      } else await noteCase(deps, ref, await withRecords(() => deps.ledger.readAttempt(ref)), quiet);
      return result;
    },

    reservePayment: (input) => withRecords(() => reservePayment(deps, input)),
    returnPayment: (input) => withRecords(() => returnPayment(deps, input)),
    override: (input) => withRecords(() => override(deps, input)),
  };
}

function isCreated(step: SettleResult): boolean {
  return step.outcome === 'standing' && step.result.outcome === 'standing' && step.result.standing === 'created';
}

/** Makes void what nobody claimed, and a case of a claim that no process here is sending any more (T12). */
export async function inspect(deps: Dependencies, ref: AttemptRef): Promise<SubmitResult> {
  const found = await deps.ledger.readAttempt(ref);
  if (!found) {
    const why = 'no claim was written before the time-out';
    const voided = await deps.ledger.voidClaim(ref, why, { atMs: deps.now() });
    if (voided) return { outcome: 'standing', n: ref.n, standing: 'void' };
  }
  const attempt = (await deps.ledger.readAttempt(ref)) ?? { n: ref.n, states: [], torn: true };
  if (standingOf(attempt) === 'claimed' && !isUnderWay(deps, ref)) {
    const caller = intentOf(attempt)?.caller;
    const gone = caller !== undefined && deps.callers.isGone(caller) ? { callerGone: true as const } : {};
    const message = 'the process or its activity ended between the claim and the answer';
    const evidence = { rule: 'T12', ...gone, message };
    // Its times count from when its process was seen to be gone.
    await deps.ledger.append(ref, { state: 'unknown', atMs: deps.now(), evidence });
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
  const { row } = await loadRow(deps, rowRef, intentOf(attempt));
  const said = { ambiguity: input.ambiguity ?? 'hold', wasteMaxNano: 0 } as const;
  const mayGroup = (await orderedPolicy(deps, rowRef.batch, said)).ambiguity !== 'hold';
  const noted = (await handlesNoted(deps, attempt)).length;
  const weighing = { mayGroup, noted, ...defined({ withoutDiscounts: input.withoutDiscounts }) };
  const step = await settleCase(deps.books, row, ref, attempt, weighing);
  if (step.outcome === 'answered') {
    const since = await deps.ledger.readAttempt(ref);
    // What came was no end: the case is weighed again with it.
    if (since && standingOf(since) === 'open_case') return { result: { outcome: 'wait', delayMs: 100 } };
    return { result: await standingResult(deps, ref, rowRef.kind) };
  }
  if (step.outcome === 'verdict') {
    const result = refusedResult(await deps.ledger.readAttempt(ref));
    const { slotUntilMs: until } = step;
    const ended = result ? { outcome: 'standing' as const, result, slotUntilMs: until } : step;
    return { result: { ...ended, ...(await trustOf(deps)) } };
  }
  const { quiet, ...result } = step;
  return { result, quiet };
}

/**
 * A callback notes its handle before it looks where the attempt stands, and this looks for handles after the case's end
 * is recorded: whichever comes last sees the other. The job asks no more.
 */
async function confirmNoted(deps: Dependencies, { row, n }: SettleInput): Promise<void> {
  const attempt = await deps.ledger.readAttempt({ batch: row.batch, id: row.id, n });
  if (attempt === undefined || handleOf(attempt) !== undefined || (await handlesNoted(deps, attempt)).length === 0)
    return;
  const { account, timeScale } = deps.settings;
  await deps.messenger.confirmLate({ account, row, n, timeScale });
}

/** A claim whose submit activity was not heard of: it may still run, or the claim becomes a case. */
async function takenUp(deps: Dependencies, ref: AttemptRef): Promise<SettleResult> {
  if (isUnderWay(deps, ref)) return { outcome: 'wait', delayMs: 5_000 };
  const result = await inspect(deps, ref);
  const isCase = result.outcome === 'standing' && result.standing === 'open_case';
  if (isCase) return { outcome: 'wait', delayMs: 100 };
  return { outcome: 'standing', result, slotUntilMs: deps.now(), ...(await trustOf(deps)) };
}

async function standingResult(deps: Dependencies, ref: AttemptRef, kind: Kind): Promise<SettleResult> {
  const attempt = (await deps.ledger.readAttempt(ref)) ?? { n: ref.n, states: [], torn: true };
  // What was decided while the case was open moved no balance: the check of other cases needs it in the books.
  await finishBooks(deps.books, ref, attempt);
  // Whoever gave the verdict may have died before it was watched.
  const last = attempt.states.at(-1);
  if (last?.state === 'verdict' && last.verdict !== 'undecided') await watch(deps.books, ref, kind, last);
  const slotUntil = slotUntilMs(deps, attempt, kind);
  const result = refusedResult(attempt) ?? (await resultOf(deps, ref, attempt));
  return { outcome: 'standing', result, slotUntilMs: slotUntil, ...(await trustOf(deps)) };
}

/** What the service refused and did not bill ends its row, whatever the policy is. */
function refusedResult(attempt: Attempt | undefined): SubmitResult | undefined {
  const isRefused = attempt !== undefined && refusalOf(attempt) !== undefined;
  return isRefused ? { outcome: 'refused', n: attempt.n, next: 'fail_row' } : undefined;
}

async function trustOf(deps: Dependencies): Promise<{ untrusted?: true }> {
  return (await isTrusted(deps.home)) ? {} : { untrusted: true };
}
