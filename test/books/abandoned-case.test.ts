// An open case that nobody works on any more (its batch was never gone on with, its row left the manifest) keeps no
// later lost answers of its price from being settled together, and does not end what the account learns.
import { expect, test } from 'vitest';
import { useReadings } from '../../src/books/readings.js';
import type { Row } from '../../src/domain/row.js';
import { readMeasuredPrices } from '../../src/home/learned.js';
import { rowRecord } from '../support/row-record.js';
import { FILM, filmsAtHand, filmsOf, PRICE_OF_FILM } from './support/films-at-hand.js';

const ROWS = filmsOf('orphan', 'a', 'b', 'c');
const [ORPHAN, A, B, C] = ROWS as [Row, Row, Row, Row];
/** Two days later. */
const FROM = 2 * 24 * 60;

async function account(hasOrphan: boolean, prices = PRICE_OF_FILM) {
  const at = await filmsAtHand(ROWS, prices);
  await at.readUntil(0);
  // Its batch was never run again.
  if (hasOrphan) await at.lose(ORPHAN);
  return at;
}

test.each([false, true])('two lost answers are settled by their count (an old open case: %s)', async (hasOrphan) => {
  const { lose, settle, readUntil, sleepUntil } = await account(hasOrphan);
  sleepUntil(FROM);
  await readUntil(FROM);
  await lose(A);
  await readUntil(FROM + 1);
  await lose(B);
  await readUntil(FROM + 75, (minute) => (minute < FROM + 30 ? 0 : 0.2));
  expect(await settle(A)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(await settle(B)).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
});

test.each([false, true])('a lone charge teaches its price (an old open case: %s)', async (hasOrphan) => {
  const { deps, claim, created, render, readUntil, sleepUntil, clock } = await account(hasOrphan, []);
  sleepUntil(FROM);
  await readUntil(FROM);
  await claim(A, 1, null);
  await created(A, 1, 'h');
  const createdAtMs = clock.nowMs;
  await readUntil(FROM + 1);
  await readUntil(FROM + 2, () => 0.2);
  await render(A, 1, createdAtMs, createdAtMs);
  await deps.records.writeRecord('b', rowRecord({ id: 'a', kind: FILM, rowHash: A.hash, finishedAtMs: clock.nowMs }));
  await readUntil(FROM + 10, () => 0.2);
  await useReadings(deps.books);
  expect(await readMeasuredPrices(deps.home)).toHaveLength(1);
});

test('an old case that was counted with others is not counted a second time', async () => {
  const { lose, settle, readUntil } = await account(true);
  const until = (minute: number) => readUntil(minute, (at) => (at < 30 ? 0 : at < 150 ? 0.2 : 0.4));
  await lose(A);
  await until(75);
  // One of the two was billed, and the other one's row is never gone on with.
  expect(await settle(A)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  // Nothing of it can come back any more.
  await until(120);
  await lose(B);
  await until(121);
  await lose(C);
  await until(195);
  expect(await settle(B)).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(await settle(C)).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
});
