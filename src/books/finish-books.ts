import type { Attempt, AttemptRef, Intent } from '../domain/attempt.js';
import { intentOf, ownStates, standingOf } from '../domain/standing.js';
import { resultState } from '../home/attempts.js';
import { boundOf, legibleRow, wasRefunded } from './attempt-price.js';
import { bookEnd, bookRefusal, bookVerdict } from './charges.js';
import type { Books } from './open-books.js';
import { hasFollowUp } from './prices/row-price.js';
import { renderMaxMs, slotUntilMs } from './waits.js';

/**
 * Enters an attempt whose process died between its end and its books: else the credits check would take it for one that
 * may still be charged, for ever. Can be repeated: what stands in the book stays.
 */
export async function finishBooks(books: Books, ref: AttemptRef, attempt: Attempt): Promise<void> {
  const intent = intentOf(attempt);
  const last = attempt.states.at(-1);
  const end = resultState(attempt) ?? ownStates(attempt).findLast((state) => state.state === 'ended');
  const isDecided = end === undefined && wasDecidedOpen(attempt);
  const isOver = end !== undefined || isDecided || last?.state === 'verdict' || last?.state === 'refused';
  if (!isOver || intent === undefined || !(await books.ledger.isListed(ref))) return;
  const row = await legibleRow(books, ref, intent);
  if (row === undefined) {
    const endedAtMs = end?.atMs ?? slotUntilMs(books, attempt, intent.kind);
    if (last?.state !== 'refused' || wasRefunded(last)) await bookUnread(books, ref, intent, endedAtMs);
    // A lost job that may still run holds its slot until nothing of it can move the balance.
    const isGone = last?.state === 'refused' || standingOf(attempt) === 'not_billed';
    if (end !== undefined || isGone) await books.ledger.close(ref);
    return;
  }
  const claimedAtMs = intent.atMs;
  if (last?.state === 'verdict') {
    const endedAtMs = slotUntilMs(books, attempt, row.kind, row);
    await bookVerdict(books, row, ref, { attempt, endedAtMs, verdict: last.verdict, goneMs: null });
  } else if (isDecided) {
    const endedAtMs = slotUntilMs(books, attempt, row.kind, row);
    await bookVerdict(books, row, ref, { attempt, endedAtMs, verdict: 'undecided', goneMs: null });
  } else if (end !== undefined) {
    const createdAtMs = attempt.states.find(({ state }) => state === 'created')?.atMs;
    await bookEnd(books, row, ref, end, { claimedAtMs, createdAtMs });
  } else if (last?.state === 'refused') await bookRefusal(books, row, ref, last, { claimedAtMs });
}

/**
 * True where a person or a policy decided while no verdict told what the attempt cost. A decision moves no balance: what
 * it was charged, and what is given back of it, can still be taken for that of another attempt.
 */
function wasDecidedOpen({ states }: Attempt): boolean {
  const last = states.at(-1)?.state;
  if (last !== 'ruled' && last !== 'overridden') return false;
  const found = states.findLast((state) => state.state === 'verdict');
  return found === undefined || found.verdict === 'undecided';
}

/** Enters an attempt whose row cannot be read: nobody can price it, so it may have cost whatever it was expected to. */
export async function bookUnread(
  books: Books,
  { batch, id, n }: AttemptRef,
  intent: Intent,
  overMs: number,
): Promise<void> {
  const { kind, atMs: claimedAtMs } = intent;
  const endedAtMs = overMs + (hasFollowUp(kind) ? renderMaxMs(books, kind) / books.settings.timeScale : 0);
  const bounds = boundOf(intent) ?? { lo: 0, hi: null };
  await books.book.append({ batch, id, n, kind, end: 'undecided', claimedAtMs, endedAtMs, ...bounds });
}
