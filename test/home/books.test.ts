import { expect, test } from 'vitest';
import { type BatchBooks, beginOf, fellSinceBegin } from '../../src/home/learned.js';

const CREDIT = 1_000_000_000;

function booksOf(
  earlier: BatchBooks | undefined,
  run: { fromMs: number; start: number; end: number; bought?: number },
) {
  const now = { fromMs: run.fromMs, startNano: run.start * CREDIT };
  const facts = { toMs: run.fromMs + 1, endNano: run.end * CREDIT, topUpNano: (run.bought ?? 0) * CREDIT };
  const books: BatchBooks = { schema: 1, ...now, ...facts, unattributed: null, ...beginOf(earlier, now) };
  return books;
}

test('4-U7: "less than when the batch began" counts from its first run, with what was bought added back', () => {
  const first = booksOf(undefined, { fromMs: 1, start: 10, end: 9.52 });
  expect(fellSinceBegin(first)).toBe(0.48 * CREDIT);
  const retried = booksOf(first, { fromMs: 5, start: 9.52, end: 9.28 });
  expect(fellSinceBegin(retried)).toBe(0.72 * CREDIT);
  // The same run is written once more: nothing is counted twice.
  const again = booksOf(retried, { fromMs: 5, start: 9.52, end: 9.28 });
  expect(again).toEqual(retried);
  // 20 were bought before the next run, and 5 in it.
  const third = booksOf(again, { fromMs: 9, start: 29.28, end: 33.28, bought: 5 });
  expect(fellSinceBegin(third)).toBe(1.72 * CREDIT);
  const written = booksOf(third, { fromMs: 12, start: 33.28, end: 33.28 });
  expect(fellSinceBegin(written)).toBe(1.72 * CREDIT);
});

test('books of an earlier callsheet begin with the run that they tell of', () => {
  const { beganNano: _, boughtBeforeNano: __, ...old } = booksOf(undefined, { fromMs: 1, start: 10, end: 9 });
  expect(fellSinceBegin(old)).toBe(CREDIT);
  expect(fellSinceBegin(booksOf(old, { fromMs: 2, start: 9, end: 8 }))).toBe(2 * CREDIT);
});
