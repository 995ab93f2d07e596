import type { Attempt, AttemptRef } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import type { Kind } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import { acceptanceOf } from '../domain/standing.js';
import { rowStanding } from '../home/row-standing.js';
import type { KnownAttempt } from './check/evidence.js';
import type { Books } from './open-books.js';
import { followUpMs, lastedMs } from './waits.js';

/**
 * An accepted job whose end nobody will hear: its row ended without it, and nobody polls its handle. That it was charged
 * stays possible; that it is charged years later does not, or no lost answer of the account could be settled any more.
 */

type Accepted = KnownAttempt & AttemptRef & { kind: Kind; model: string | undefined };

/**
 * The attempt as it stands with the balance: open until its longest render is over and nothing of it can come back, then
 * entered in the book as charged or not, and out of the index.
 */
export async function endAbandoned<A extends Accepted>(
  books: Books,
  accepted: A,
  attempt: Attempt,
  row: Row | undefined,
): Promise<A> {
  const endedAtMs = overAtMs(books, accepted, attempt, row);
  const { learned, ledger, book } = books;
  // Nearly always a job that renders: nothing more is read for it.
  if (books.now() <= endedAtMs) return accepted;
  if (books.now() <= endedAtMs + (await learned.rhoMs()) + (await learned.lambdaMs())) return accepted;
  if (!(await isRowEnded(books, accepted))) return accepted;
  const { batch, id, n, kind, model, claimedAtMs, createdAtMs, lo, hi } = accepted;
  const end = 'undecided';
  // The book before the index: a crash in between has it in both, which counts once.
  await book.append({
    ...{ batch, id, n, kind, end, claimedAtMs, endedAtMs, lo, hi },
    ...defined({ model, createdAtMs }),
  });
  await ledger.close({ batch, id, n });
  return { ...accepted, end, endedAtMs };
}

/** When its job was over at the latest, with what may be charged after its end; later where a poll saw it running. */
function overAtMs(books: Books, { kind, claimedAtMs, runningAtMs }: Accepted, attempt: Attempt, row?: Row): number {
  const acceptedAtMs = acceptanceOf(attempt)?.atMs ?? claimedAtMs;
  return Math.max(acceptedAtMs + lastedMs(books, kind, row), runningAtMs ?? 0) + followUpMs(books, kind);
}

/** A row that has not ended, or goes on by what the ledger learned since, polls its handle. */
async function isRowEnded({ records, ledger }: Books, { batch, id }: AttemptRef): Promise<boolean> {
  const record = await records.readRecord(batch, id);
  return record !== undefined && rowStanding(record, await ledger.read(batch, id), null).ended;
}
