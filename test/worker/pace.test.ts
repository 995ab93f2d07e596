// While the account's submits are paused for their rate, all else goes on at a tenth of it (docs/guarantees.md, T4).
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace, type Pace } from '../../src/worker/pace.js';

let told: number[];
let pace: Pace;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  pace = createPace((rpm) => told.push(rpm), 1);
  pace.plan(200);
});
afterEach(() => {
  vi.useRealTimers();
});

const refused = (times: number) => {
  for (let i = 0; i < times; i += 1) pace.answered(true);
};

test('five refusals in a row, and no fewer, slow everything down until a submit passes', () => {
  refused(4);
  pace.answered(false);
  refused(4);
  expect(told).toEqual([200]);
  refused(3);
  expect(told).toEqual([200, 20]);
  pace.plan(200);
  expect(told, 'a reading of the same plan changes nothing').toEqual([200, 20, 20]);
  pace.answered(false);
  expect(told).toEqual([200, 20, 20, 200]);
});

test('where no submit follows it ends by itself', () => {
  refused(6);
  vi.advanceTimersByTime(599_000);
  expect(told).toEqual([200, 20]);
  refused(1);
  vi.advanceTimersByTime(599_000);
  expect(told).toEqual([200, 20]);
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual([200, 20, 200]);
});
