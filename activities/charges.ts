import { followUpNano, hasFollowUp } from '../src/books/prices/row-price.js';
import type { Attempt, AttemptRef, Verdict } from '../src/domain/attempt.js';
import type { ResultFacts } from '../src/domain/exchange.js';
import { KINDS } from '../src/domain/kind.js';
import type { CreditsRange } from '../src/domain/money.js';
import type { Row } from '../src/domain/row.js';
import { intentOf } from '../src/domain/standing.js';
import type { BookedAttempt } from '../src/home/charge-book.js';
import { groupOf } from '../src/home/verdicts.js';
import { modelOf } from '../src/manifest/columns.js';
import { expectedOf } from './attempts-since.js';
import type { Dependencies } from './dependencies.js';
import { actualCredits, expectedCredits, listCredits } from './prices.js';
import type { RowWork } from './row-work.js';
import { forgetRunning, lastRunning, nameOf } from './running.js';
import { renderMaxMs } from './waits.js';

/** When an attempt was claimed, answered and over. */
interface Course {
  claimedAtMs: number;
  createdAtMs?: number | undefined;
  endedAtMs: number;
}

/** What an attempt cost or would cost, and what that is without a discount; null where unknown. */
interface Price {
  cost: CreditsRange | null;
  list: CreditsRange | null;
}

/** An attempt whose answer is lost for good; `seenAtMs` is when its bill had been read, `heldAtMs` when it was held. */
interface LostAttempt extends Course, Price {
  verdict: 'billed' | 'undecided';
  seenAtMs: number;
  heldAtMs?: number | undefined;
}

/** Enters what a finished attempt cost, so that credits checks of other attempts can explain the balance. */
export async function bookCharge(
  deps: Dependencies,
  { row, adapter }: RowWork,
  ref: AttemptRef,
  course: Course & { facts: ResultFacts },
): Promise<void> {
  const between = { fromMs: course.claimedAtMs, toMs: course.endedAtMs };
  const actual = await actualCredits(deps, ref.batch, row, adapter, course.facts, between);
  // Where no price is known any more, what was expected at the claim still bounds it.
  const cost = actual ?? (await claimedPrice(deps, ref));
  await book(deps, row, ref, 'charged', {
    ...course,
    cost,
    list: await listCredits(deps, ref.batch, row, course.facts),
  });
  // The job had ended some time before a poll said so.
  await bookFollowUp(deps, row, ref, { fromMs: course.claimedAtMs, endedAtMs: course.endedAtMs }, cost);
}

async function claimedPrice(deps: Dependencies, ref: AttemptRef): Promise<CreditsRange | null> {
  const attempt = await deps.ledger.readAttempt(ref);
  return (attempt && intentOf(attempt)?.expected) ?? null;
}

/** Enters an attempt that ended unbilled: what was reserved for it comes back. */
export async function bookUnbilled(
  deps: Dependencies,
  { row, adapter }: RowWork,
  ref: AttemptRef,
  course: Course,
): Promise<void> {
  const cost = await expectedCredits(deps, ref.batch, row, adapter, course.claimedAtMs);
  await book(deps, row, ref, 'unbilled', { ...course, cost, list: await listCredits(deps, ref.batch, row) });
}

/** Enters an attempt whose answer is lost for good; its row is not at hand where its claim cannot be read. */
export async function bookLost(
  deps: Dependencies,
  row: Pick<Row, 'kind' | 'cells'>,
  ref: AttemptRef,
  lost: LostAttempt,
): Promise<void> {
  const { verdict, seenAtMs, heldAtMs, ...rest } = lost;
  await book(deps, row, ref, verdict, verdict === 'billed' ? { ...rest, seenAtMs, heldAtMs } : rest);
}

/** Enters what a verdict means for the balance; `goneMs`: from when on the balance holds nothing of it. */
export async function bookVerdict(
  deps: Dependencies,
  work: Pick<RowWork, 'row'>,
  ref: AttemptRef,
  {
    attempt,
    endedAtMs,
    verdict,
    goneMs,
    heldAtMs,
  }: { attempt: Attempt; endedAtMs: number; verdict: Verdict; goneMs: number | null; heldAtMs?: number | undefined },
): Promise<void> {
  const intent = intentOf(attempt);
  const ownMs = intent?.atMs ?? attempt.states[0]?.atMs ?? endedAtMs;
  // Which of a group was billed is a label: the charge can be that of its first member.
  const group = await groupOf(deps.home, nameOf(ref));
  const claimedAtMs = Math.min(ownMs, group?.sinceMs ?? ownMs);
  const cost = await expectedOf(deps, ref, attempt);
  if (verdict === 'not_billed') {
    await bookGone(deps, work, ref, { claimedAtMs, goneMs: goneMs ?? deps.now(), cost });
    return deps.ledger.close(ref);
  }
  const list = await listCredits(deps, ref.batch, work.row);
  const seen = { seenAtMs: deps.now(), heldAtMs: group?.heldAtMs ?? heldAtMs };
  const overMs = Math.max(endedAtMs, group?.untilMs ?? endedAtMs);
  await bookLost(deps, work.row, ref, { claimedAtMs, endedAtMs: overMs, verdict, ...seen, cost, list });
  await bookFollowUp(deps, work.row, ref, { fromMs: claimedAtMs, endedAtMs }, intent?.expected ?? null);
}

/** Enters an attempt that was found not billed: of what it may have reserved, nothing is left from `goneMs` on. */
export async function bookGone(
  deps: Dependencies,
  { row }: Pick<RowWork, 'row'>,
  ref: AttemptRef,
  { claimedAtMs, goneMs, cost }: { claimedAtMs: number; goneMs: number; cost: CreditsRange | null },
): Promise<void> {
  // It was over when a reading no longer held it; an older copy of the books may hold it for Λ more.
  const endedAtMs = Math.max(claimedAtMs, Math.ceil(goneMs));
  await book(deps, row, ref, 'not_billed', {
    claimedAtMs,
    endedAtMs,
    cost,
    list: await listCredits(deps, ref.batch, row),
  });
}

/**
 * Enters what may be charged after the completion of a job that ended some time between the two, where its price was
 * the given one; nothing but motion control is.
 */
export async function bookFollowUp(
  deps: Dependencies,
  row: Row,
  ref: AttemptRef,
  { fromMs, endedAtMs }: { fromMs: number; endedAtMs: number },
  cost: CreditsRange | null,
): Promise<void> {
  if (!hasFollowUp(row.kind)) return;
  const untilMs = endedAtMs + renderMaxMs(deps, KINDS.indexOf(row.kind)) / deps.settings.timeScale;
  const owed: CreditsRange = { lo: 0, hi: followUpNano(row, cost) };
  await book(deps, row, ref, 'follow_up', { claimedAtMs: fromMs, endedAtMs: untilMs, cost: owed, list: null });
}

async function book(
  deps: Dependencies,
  row: Pick<Row, 'kind' | 'cells'>,
  { batch, id, n }: AttemptRef,
  end: BookedAttempt['end'],
  entry: Course & Price & { seenAtMs?: number; heldAtMs?: number | undefined },
): Promise<void> {
  const { claimedAtMs, createdAtMs, endedAtMs, seenAtMs, heldAtMs, cost, list } = entry;
  const runningAtMs = lastRunning(deps, { batch, id, n });
  await deps.book.append({
    ...{ batch, id, n, kind: row.kind, model: modelOf(row), end, claimedAtMs, endedAtMs },
    ...(createdAtMs === undefined ? {} : { createdAtMs }),
    ...(runningAtMs === undefined ? {} : { runningAtMs }),
    ...(seenAtMs === undefined ? {} : { seenAtMs }),
    ...(heldAtMs === undefined ? {} : { heldAtMs }),
    ...(cost ?? { lo: 0, hi: null }),
    ...(cost === null || list === null ? {} : { list }),
  });
  forgetRunning(deps, { batch, id, n });
}
