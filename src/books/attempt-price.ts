import type { Attempt, AttemptRef, AttemptState, Intent } from '../domain/attempt.js';
import type { CreditsRange } from '../domain/money.js';
import type { Row } from '../domain/row.js';
import { intentOf } from '../domain/standing.js';
import { loadRow, type RowSources } from '../home/row-work.js';
import { StoreError } from '../store/port.js';
import { expectedCredits } from './credits.js';
import type { Books } from './open-books.js';
import { widest } from './prices/price-book.js';
import { hasFollowUp, withFollowUp } from './prices/row-price.js';
import { lostAtMs } from './waits.js';

/** What an attempt would cost, by its claim and by what is known since. */

/**
 * What an attempt would cost in all, by what was known at its claim and by what is known of discounts and prices now.
 */
export async function expectedOf(books: Books, ref: AttemptRef, attempt: Attempt): Promise<CreditsRange | null> {
  const intent = intentOf(attempt);
  if (!intent) return null;
  const row = await legibleRow(books, ref, intent);
  if (row === undefined) return boundOf(intent);
  return withFollowUp(row, await costOf(books, ref.batch, row, intent, lostAtMs(books, intent.kind, attempt)));
}

/** The same where its row cannot be read: what was expected at its claim, as far as nothing is charged beyond that. */
export function boundOf({ kind, expected }: Intent): CreditsRange | null {
  return expected === null || hasFollowUp(kind) ? null : { lo: 0, hi: expected.hi };
}

/** Without what may be charged after the end. */
export async function costOf(
  books: Books,
  batch: string,
  row: Row,
  { expected, atMs }: Intent,
  overAtMs = atMs,
): Promise<CreditsRange | null> {
  const now = await expectedCredits(books, batch, row, atMs, overAtMs);
  return expected === null ? now : widest(expected, now ?? expected);
}

/** The row of an attempt, as it was when the attempt was claimed, with what fed it then. */
export async function rowOf(sources: RowSources, { batch, id }: AttemptRef, intent: Intent): Promise<Row> {
  const { generation, part, index, kind } = intent;
  return (await loadRow(sources, { batch, id, generation, part, index, kind }, intent)).row;
}

/** The same; undefined where its line cannot be read, and waiting mends nothing. */
export function legibleRow(sources: RowSources, ref: AttemptRef, intent: Intent): Promise<Row | undefined> {
  return unlessIllegible(() => rowOf(sources, ref, intent));
}

/** What was read; undefined where its document is damaged or gone. */
export async function unlessIllegible<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StoreError && ['DAMAGED', 'ENOENT'].includes(error.code)) return undefined;
    throw error;
  }
}

/** A failed call may have been charged before it was refunded; other refusals never are (service document 1). */
export function wasRefunded(state: AttemptState | undefined): state is Extract<AttemptState, { state: 'refused' }> {
  return state?.state === 'refused' && state.rule === 'S1';
}
