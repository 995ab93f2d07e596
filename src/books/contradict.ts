import type { Attempt, AttemptRef } from '../domain/attempt.js';
import { intentOf, isKnownUnbilled, standingOf } from '../domain/standing.js';
import { statesOf } from '../home/row-standing.js';
import { distrust, type WatchedVerdict } from '../home/verdicts.js';
import { clockText } from './check/story.js';
import { knownPrices } from './credits.js';
import { isGrouped } from './group-labels.js';
import type { Books } from './open-books.js';
import { reviseRow } from './revise.js';
import { mostOfOpen } from './spent.js';

/** The assumptions did not hold: nothing is sent again by itself until a person has looked. */
export async function raiseAlarm(books: Books, { batch, id, n }: AttemptRef, sentence: string): Promise<void> {
  books.log.error({ batch, id, n, sentence }, 'a verdict was contradicted; if-proved is off for this account');
  await distrust(books.home, {
    why: `attempt ${n} of row '${id}' in batch '${batch}': ${sentence}`,
    atMs: books.now(),
  });
}

/** The row needs a person: what it brought may have been paid beside another attempt. */
export async function contradict(books: Books, ref: AttemptRef, attempt: Attempt, sentence: string): Promise<void> {
  const { batch, id, n } = ref;
  const attempts = await books.ledger.read(batch, id);
  // A row that has one job alone is paid once, whichever of its group was counted too little.
  if (isGrouped(attempt) && attempts.length === n) return;
  // With a handle and no later attempt that may have cost there is something to carry on, which the next run does. Behind
  // one for other values it would send those.
  const made = intentOf(attempt)?.rowHash;
  const isFree = (one: Attempt): boolean => isKnownUnbilled(standingOf(one)) && intentOf(one)?.rowHash === made;
  const isLast = attempts.every((one) => one.n <= n || isFree(one));
  const goesOn = isLast && attempts.find((one) => one.n === n)?.states.at(-1)?.state !== 'verdict';
  const seen = goesOn ? {} : { seenStates: statesOf(attempts) };
  const moreNano = await mostOfOpen(books, ref, attempt, () => knownPrices(books, batch));
  await reviseRow(books, ref, { revision: 'contradicted', sentence, attempts: attempts.length, ...seen, moreNano });
}

export function opening({ verdict, atMs }: WatchedVerdict): string {
  return `the verdict '${verdict}' of ${clockText(atMs)} is contradicted:`;
}
