import { expect, it } from 'vitest';
import { afterRefusal, backoffGapMs } from '../../src/domain/poll-schedule.js';

const MINUTE_MS = 60_000;

it('I14, 2-D5: a poll that is refused is repeated three times over at least ten minutes, then a person must look', () => {
  const atMs = [0];
  let waitMs = afterRefusal(1, 0);
  while (waitMs !== null) {
    atMs.push((atMs.at(-1) ?? 0) + waitMs);
    waitMs = afterRefusal(atMs.length, atMs.at(-1) ?? 0);
  }
  expect(atMs).toEqual([0, 25_000, 10 * MINUTE_MS]);
});

it('a clock that runs slow makes it one more poll, never a short end', () => {
  expect(afterRefusal(3, 10 * MINUTE_MS - 1)).toBe(25_000);
  expect(afterRefusal(4, 10 * MINUTE_MS)).toBeNull();
});

it('2-D4: after 5xx the gaps double to 25 s, wherever the end of the render is expected', () => {
  expect([1, 2, 3, 4, 99].map((failures) => backoffGapMs(failures, 5_000))).toEqual([
    10_000, 20_000, 25_000, 25_000, 25_000,
  ]);
});
