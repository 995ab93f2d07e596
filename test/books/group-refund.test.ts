// A refund lowers how many of a group were billed, whichever of its bills came back (design 3, Interchangeable attempts).
import { expect, test } from 'vitest';
import { useReadings } from '../../src/books/readings.js';
import { standingOf } from '../../src/domain/standing.js';
import { filmsAtHand, filmsOf } from './support/films-at-hand.js';

const ROWS = filmsOf('a', 'b', 'c');

test.each([1, 2])('%i of three were billed, and one bill comes back', async (billed) => {
  const { deps, lose, readUntil, settle } = await filmsAtHand(ROWS);
  // One of the jobs failed at minute 55; its refund comes half an hour later.
  const until = (minute: number) =>
    readUntil(minute, (at) => (at <= 50 ? 0 : at <= 80 ? billed * 0.2 : (billed - 1) * 0.2));
  for (const [minute, row] of ROWS.entries()) {
    await until(minute);
    await lose(row);
  }
  await until(75);
  for (const row of ROWS) await settle(row);
  const countBilled = async () => {
    const attempts = await Promise.all(ROWS.map(({ id }) => deps.ledger.read('b', id)));
    return attempts.flat().filter((attempt) => standingOf(attempt) === 'billed').length;
  };
  expect(await countBilled()).toBe(billed);
  for (let minute = 85; minute <= 260; minute += 5) {
    await until(minute);
    await useReadings(deps.books);
  }
  expect(await countBilled()).toBe(billed - 1);
});
