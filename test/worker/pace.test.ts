// While the account's submits are paused for their rate, all else goes on at a tenth of it (docs/guarantees.md, T4).
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace, type Pace } from '../../src/worker/pace.js';

let told: number[];
let pace: Pace;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  pace = createPace(
    (rpm) => told.push(rpm),
    1,
    () => Date.now(),
  );
  pace.plan(200);
});
afterEach(() => {
  vi.useRealTimers();
});

/** One after the other, each sent once the one before was answered. */
const refused = (times: number) => {
  for (let i = 0; i < times; i += 1) {
    const sentMs = Date.now();
    vi.advanceTimersByTime(10);
    pace.answered(true, sentMs);
  }
};
const passes = () => pace.answered(false, Date.now());

test('five refusals in a row, and no fewer, slow everything down until a submit passes', () => {
  refused(4);
  passes();
  refused(4);
  expect(told).toEqual([200]);
  refused(3);
  expect(told).toEqual([200, 20]);
  pace.plan(200);
  expect(told, 'a reading of the same plan changes nothing').toEqual([200, 20, 20]);
  passes();
  expect(told).toEqual([200, 20, 20, 200]);
});

test('a burst that was sent at once counts as one, and what it says late counts no more', () => {
  const sentMs = Date.now();
  vi.advanceTimersByTime(10);
  for (let i = 0; i < 20; i += 1) pace.answered(true, sentMs);
  refused(3);
  expect(told).toEqual([200]);
  refused(1);
  pace.answered(false, sentMs);
  expect(told, 'an answer from before the refusals').toEqual([200, 20]);
});

test('where no submit follows it ends by itself', () => {
  refused(6);
  vi.advanceTimersByTime(598_000);
  expect(told).toEqual([200, 20]);
  refused(1);
  vi.advanceTimersByTime(598_000);
  expect(told).toEqual([200, 20]);
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual([200, 20, 200]);
});
