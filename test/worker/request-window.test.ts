// Service document 1, Limits: never more requests in any 60 seconds than the plan has, through kills and restarts.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRequestWindow } from '../../src/worker/request-window.js';

const clocks = { now: () => Date.now(), monotonic: () => Date.now() };
let file: string;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000 });
  file = join(mkdtempSync(join(tmpdir(), 'callsheet-window-')), 'requests', 'a.log');
});
afterEach(() => {
  vi.useRealTimers();
});

function opened(rpm: number) {
  const window = createRequestWindow(file, clocks);
  window.setRpm(rpm);
  return window;
}

/** Sends as fast as it may. */
async function sendFor(window: ReturnType<typeof opened>, forMs: number, sent: number[]): Promise<void> {
  for (const untilMs = Date.now() + forMs; Date.now() < untilMs; ) {
    const waitMs = await window.turn(0);
    if (waitMs === 0) sent.push(Date.now());
    else vi.advanceTimersByTime(Math.min(waitMs, untilMs - Date.now()));
  }
}

const mostIn60s = (sent: readonly number[]): number =>
  Math.max(0, ...sent.map((fromMs) => sent.filter((one) => one >= fromMs && one < fromMs + 60_000).length));

test('all of the plan but one, and never more in any 60 s', async () => {
  const sent: number[] = [];
  await sendFor(opened(60), 600_000, sent);
  expect(mostIn60s(sent)).toBe(59);
  expect(sent.length).toBeGreaterThan((600_000 / 61_000) * 59 - 60);
});

test('a worker that is killed leaves its minute to the next', async () => {
  const sent: number[] = [];
  for (let i = 0; i < 8; i += 1) await sendFor(opened(200), 20_000, sent);
  expect(mostIn60s(sent)).toBe(199);
});

test('a clock that was set back makes nobody send more', async () => {
  const sent: number[] = [];
  await sendFor(opened(60), 5_000, sent);
  expect(sent).toHaveLength(59);
  vi.setSystemTime(1_000_000_000 - 3_600_000);
  expect(await opened(60).turn(0)).toBeGreaterThan(60_000);
});

test('a lower rate holds at once; one who has the patience is called', async () => {
  const window = opened(100);
  for (let i = 0; i < 50; i += 1) expect(await window.turn(0)).toBe(0);
  window.setRpm(50);
  expect(await window.turn(0)).toBe(61_000);
  const called = window.turn(Number.POSITIVE_INFINITY);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await called).toBe(0);
});

test('5-X9: under any rates, waits and restarts the highest rate of the minute is never passed', async () => {
  const step = fc.record({ rpm: fc.integer({ min: 2, max: 30 }), forMs: fc.integer({ min: 0, max: 90_000 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      vi.advanceTimersByTime(200_000);
      const sent: number[] = [];
      for (const { rpm, forMs } of steps) await sendFor(opened(rpm), forMs, sent);
      expect(mostIn60s(sent)).toBeLessThanOrEqual(Math.max(...steps.map(({ rpm }) => rpm)) - 1);
    }),
    { numRuns: 50 },
  );
});
