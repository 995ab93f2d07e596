import type { Attempt, AttemptRef, AttemptState, Verdict } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { ResultFacts } from '../domain/exchange.js';
import type { CreditsRange } from '../domain/money.js';
import type { Row } from '../domain/row.js';
import { intentOf } from '../domain/standing.js';
import { type EndState, nameOf, type ResultState } from '../home/attempts.js';
import type { BookedAttempt } from '../home/charge-book.js';
import { adapterFor } from '../kinds/index.js';
import { modelOf } from '../manifest/columns.js';
import { costOf, wasRefunded } from './attempt-price.js';
import { actualCredits, expectedCredits, listCredits } from './credits.js';
import type { Books } from './open-books.js';
import { discountedRange, widest } from './prices/price-book.js';
import { followUpNano, hasFollowUp } from './prices/row-price.js';
import { followUpMs, lostAtMs } from './waits.js';

/** Enters what attempts cost, so that credits checks of other attempts can explain the balance. */

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

/** Enters how an attempt ended by the service's word; then nothing of it is open any more. */
export async function bookEnd(
  books: Books,
  row: Row,
  ref: AttemptRef,
  end: ResultState | EndState,
  { claimedAtMs, createdAtMs }: { claimedAtMs: number; createdAtMs?: number | undefined },
): Promise<void> {
  const course = { claimedAtMs, createdAtMs, endedAtMs: end.atMs };
  if (end.state === 'ended') await bookUnbilled(books, row, ref, course);
  else await bookCharge(books, row, ref, { ...course, facts: end.facts });
  await books.ledger.close(ref);
}

/** Enters what a finished attempt cost. */
async function bookCharge(
  books: Books,
  row: Row,
  ref: AttemptRef,
  { facts, ...course }: Course & { facts: ResultFacts },
): Promise<void> {
  const between = { fromMs: course.claimedAtMs, toMs: course.endedAtMs };
  // Where no price is known any more, what was expected at the claim still bounds it.
  const cost = (await actualCredits(books, ref.batch, row, facts, between)) ?? (await claimedPrice(books, ref));
  const list = await listCredits(books, ref.batch, row, facts);
  const end = facts.mayBeUnbilled ? 'undecided' : 'charged';
  await book(books, row, ref, end, { ...course, cost, list });
  // The job had ended some time before a poll said so.
  const { claimedAtMs, endedAtMs } = course;
  await bookFollowUp(books, row, ref, { claimedAtMs, endedAtMs }, { cost, list });
}

async function claimedPrice({ ledger }: Books, ref: AttemptRef): Promise<CreditsRange | null> {
  const attempt = await ledger.readAttempt(ref);
  return (attempt && intentOf(attempt)?.expected) ?? null;
}

/** Enters an attempt that ended unbilled: what was reserved for it comes back. */
async function bookUnbilled(books: Books, row: Row, ref: AttemptRef, course: Course): Promise<void> {
  const cost = await expectedCredits(books, ref.batch, row, course.claimedAtMs);
  await book(books, row, ref, 'unbilled', { ...course, cost, list: await listCredits(books, ref.batch, row) });
}

/** What a verdict says of an attempt; `goneMs`: from when on the balance holds nothing of it. */
interface Judgement {
  attempt: Attempt;
  endedAtMs: number;
  verdict: Verdict;
  goneMs: number | null;
  heldAtMs?: number | undefined;
}

/** Enters what a verdict means for the balance. */
export async function bookVerdict(
  books: Books,
  row: Row,
  ref: AttemptRef,
  { attempt, endedAtMs, verdict, goneMs, heldAtMs }: Judgement,
): Promise<void> {
  const intent = intentOf(attempt);
  const ownMs = intent?.atMs ?? attempt.states[0]?.atMs ?? endedAtMs;
  // Which of a group was billed is a label: the charge can be that of its first member.
  const group = await books.groups.of(nameOf(ref));
  const claimedAtMs = Math.min(ownMs, group?.sinceMs ?? ownMs);
  const lostMs = lostAtMs(books, row.kind, attempt);
  const cost = intent ? await costOf(books, ref.batch, row, intent, lostMs) : null;
  const list = await listCredits(books, ref.batch, row);
  if (verdict === 'not_billed') {
    // It was over when a reading no longer held it; an older copy of the books may hold it for Λ more.
    const gone = Math.max(claimedAtMs, Math.ceil(goneMs ?? books.now()));
    await book(books, row, ref, verdict, { claimedAtMs, endedAtMs: gone, cost, list });
    return books.ledger.close(ref);
  }
  const overMs = Math.max(endedAtMs, group?.untilMs ?? endedAtMs);
  const seen = { seenAtMs: books.now(), heldAtMs: group?.heldAtMs ?? heldAtMs };
  await book(books, row, ref, verdict, {
    ...{ claimedAtMs, endedAtMs: overMs, cost, list },
    ...(verdict === 'billed' ? seen : {}),
  });
  await bookFollowUp(books, row, ref, { claimedAtMs, endedAtMs }, { cost, list });
}

/**
 * Enters what may be charged after the completion of a job that ended some time between the two, where its price was
 * the given one; nothing but motion control is. A discount can have ended, or begun, by the time that it is charged.
 */
async function bookFollowUp(
  books: Books,
  row: Row,
  ref: AttemptRef,
  { claimedAtMs, endedAtMs }: Course,
  { cost, list }: Price,
): Promise<void> {
  if (!hasFollowUp(row.kind)) return;
  const untilMs = endedAtMs + followUpMs(books, row.kind);
  const owed = (price: CreditsRange | null): CreditsRange => ({ lo: 0, hi: followUpNano(row, price) });
  const multipliers = await books.discounts.multipliers(adapterFor(row.kind), claimedAtMs, untilMs);
  const then = list === null ? owed(cost) : widest(owed(cost), discountedRange(owed(list), ...multipliers));
  const entry = { claimedAtMs, endedAtMs: untilMs, cost: then, list: list && owed(list) };
  await book(books, row, ref, 'follow_up', entry);
}

/** Enters what a refusal leaves behind. */
export async function bookRefusal(
  books: Books,
  row: Row,
  ref: AttemptRef,
  refused: Extract<AttemptState, { state: 'refused' }>,
  { claimedAtMs }: Pick<Course, 'claimedAtMs'>,
): Promise<void> {
  if (wasRefunded(refused)) await bookUnbilled(books, row, ref, { claimedAtMs, endedAtMs: refused.atMs });
  await books.ledger.close(ref);
}

async function book(
  { book, running }: Books,
  row: Pick<Row, 'kind' | 'cells'>,
  { batch, id, n }: AttemptRef,
  end: BookedAttempt['end'],
  entry: Course & Price & { seenAtMs?: number; heldAtMs?: number | undefined },
): Promise<void> {
  const { claimedAtMs, createdAtMs, endedAtMs, seenAtMs, heldAtMs, cost, list } = entry;
  await book.append({
    ...{ batch, id, n, kind: row.kind, model: modelOf(row), end, claimedAtMs, endedAtMs },
    ...defined({ createdAtMs, runningAtMs: running.last({ batch, id, n }), seenAtMs, heldAtMs }),
    ...(cost ?? { lo: 0, hi: null }),
    ...(cost === null || list === null ? {} : { list }),
  });
  running.forget({ batch, id, n });
}
