import { expect, test, vi } from 'vitest';
import { everyTick } from '../../src/service/countdown.js';

test('time in which the process stood still is no time in which it was awake', async () => {
  const passed: number[] = [];
  const stop = everyTick((passedMs) => passed.push(passedMs));
  await vi.waitUntil(() => passed.length > 0);
  // Nothing of this process runs meanwhile, as in a sleep of the machine.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  const before = passed.length;
  await vi.waitUntil(() => passed.length > before);
  stop();
  expect(Math.max(...passed)).toBeLessThanOrEqual(200);
});
