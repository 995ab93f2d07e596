import { expect, it } from 'vitest';
import { createSteadyClock } from '../../src/worker/clock.js';

it('goes on at its own pace when the wall clock is set back (F52)', () => {
  let wall = 1_000_000;
  let monotonic = 0;
  const clock = createSteadyClock(
    () => wall,
    () => monotonic,
  );
  expect(clock.now()).toBe(1_000_000);
  wall -= 3_600_000;
  monotonic += 5_000;
  expect(clock.now()).toBe(1_005_000);
  wall += 3_600_000 + 60_000;
  monotonic += 60_000;
  expect(clock.now()).toBe(1_065_000);
});

it('starts no earlier than what an earlier process wrote', () => {
  const clock = createSteadyClock(
    () => 1_000,
    () => 0,
  );
  clock.notBefore(9_000);
  expect(clock.now()).toBe(9_000);
});
