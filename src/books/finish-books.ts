import type { Attempt, AttemptRef, AttemptState, Intent, Verdict } from '../domain/attempt.js';
import { intentOf, ownStates, standingOf } from '../domain/standing.js';
import { type EndState, type ResultState, resultState } from '../home/attempts.js';
import { boundOf, legibleRow, wasRefunded } from './attempt-price.js';
import { bookEnd, bookRefusal, bookVerdict } from './charges.js';
import type { Books } from './open-books.js';
import { followUpMs, slotUntilMs } from './waits.js';

/** How an attempt ended, as far as the ledger tells: what the service said of it, or what the balance or a person did. */
type AttemptEnd =
  | { by: 'service'; state: ResultState | EndState }
  | { by: 'refusal'; state: Extract<AttemptState, { state: 'refused' }> }
  | { by: 'verdict'; verdict: Verdict };

/**
 * Enters an attempt whose process died between its end and its books: else the credits check would take it for one that
 * may still be charged, for ever. Can be repeated: what stands in the book stays.
 */
export async function finishBooks(books: Books, ref: AttemptRef, attempt: Attempt): Promise<void> {
  const intent = intentOf(attempt);
  const end = endOf(attempt);
  if (end === undefined || intent === undefined || !(await books.ledger.isListed(ref))) return;
  const row = await legibleRow(books, ref, intent);
  if (row === undefined) return finishUnread(books, ref, attempt, { intent, end });
  const claimedAtMs = intent.atMs;
  if (end.by === 'refusal') return bookRefusal(books, row, ref, end.state, { claimedAtMs });
  if (end.by === 'service') {
    const createdAtMs = attempt.states.find(({ state }) => state === 'created')?.atMs;
    return bookEnd(books, row, ref, end.state, { claimedAtMs, createdAtMs });
  }
  const endedAtMs = slotUntilMs(books, attempt, row.kind, row);
  await bookVerdict(books, row, ref, { attempt, endedAtMs, verdict: end.verdict, goneMs: null });
}

/**
 * A decision of a person or a policy while no verdict told what the attempt cost moves no balance: what it was charged,
 * and what is given back of it, can still be taken for that of another attempt.
 */
function endOf(attempt: Attempt): AttemptEnd | undefined {
  const { states } = attempt;
  const last = states.at(-1);
  if (last?.state === 'verdict') return { by: 'verdict', verdict: last.verdict };
  const said = resultState(attempt) ?? ownStates(attempt).findLast((state) => state.state === 'ended');
  if (said !== undefined) return { by: 'service', state: said };
  if (last?.state === 'refused') return { by: 'refusal', state: last };
  if (last?.state !== 'ruled' && last?.state !== 'overridden') return undefined;
  const found = states.findLast((state) => state.state === 'verdict');
  const isOpen = found === undefined || found.verdict === 'undecided';
  return isOpen ? { by: 'verdict', verdict: 'undecided' } : undefined;
}

async function finishUnread(
  books: Books,
  ref: AttemptRef,
  attempt: Attempt,
  { intent, end }: { intent: Intent; end: AttemptEnd },
): Promise<void> {
  const endedAtMs = end.by === 'service' ? end.state.atMs : slotUntilMs(books, attempt, intent.kind);
  if (end.by !== 'refusal' || wasRefunded(end.state)) await bookUnread(books, ref, intent, endedAtMs);
  // A lost job that may still run holds its slot until nothing of it can move the balance.
  const isGone = end.by !== 'verdict' || standingOf(attempt) === 'not_billed';
  if (isGone) await books.ledger.close(ref);
}

/** Enters an attempt whose row cannot be read: nobody can price it, so it may have cost whatever it was expected to. */
export async function bookUnread(
  books: Books,
  { batch, id, n }: AttemptRef,
  intent: Intent,
  overMs: number,
): Promise<void> {
  const { kind, atMs: claimedAtMs } = intent;
  const endedAtMs = overMs + followUpMs(books, kind);
  const bounds = boundOf(intent) ?? { lo: 0, hi: null };
  await books.book.append({ batch, id, n, kind, end: 'undecided', claimedAtMs, endedAtMs, ...bounds });
}
