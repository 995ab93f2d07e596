// What readings of the balance are used for beside the cases that asked for them.

import { expect, test } from 'vitest';
import { useReadings } from '../../src/books/readings.js';
import { accountAtHand } from '../activities/support/account-at-hand.js';

test('3-R12: however many readings come while one is used, the next use serves them all', async () => {
  const { deps } = await accountAtHand([]);
  let uses = 0;
  let endFirst = (): void => undefined;
  const first = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const open: typeof deps.ledger.open = async function* () {
    uses += 1;
    if (uses === 1) await first;
    yield* deps.ledger.open();
  };
  const books = { ...deps.books, ledger: { ...deps.ledger, open } };
  const begun = useReadings(books);
  while (uses === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const waiting = Array.from({ length: 50 }, () => useReadings(books));
  endFirst();
  await Promise.all([begun, ...waiting]);
  expect(uses).toBe(2);
  await useReadings(books);
  expect(uses).toBe(3);
});
