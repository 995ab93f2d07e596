// A request that leaves late is counted late, but those that wait for their turn do not look again.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRequestWindow } from '../../src/worker/request-window.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const mostIn60s = (sent: readonly number[]): number =>
  Math.max(0, ...sent.map((fromMs) => sent.filter((one) => one >= fromMs && one < fromMs + 60_000).length));

test('what left late keeps back what had taken its turn before that', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'callsheet-window-')), 'a.log');
  const window = createRequestWindow(file, { now: () => Date.now(), monotonic: () => Date.now() });
  window.setRpm(60);
  const sent: number[] = [];
  const request = async (claimMs: number) => {
    await window.turn(Number.POSITIVE_INFINITY);
    const turnMs = Date.now();
    // Between its turn and its send a submit claims: a busy disk, a home in a bucket, a look at the outputs.
    if (claimMs > 0) await new Promise((resolve) => setTimeout(resolve, claimMs));
    window.leaves(turnMs);
    sent.push(Date.now());
  };
  const all: Promise<void>[] = [];
  // Ten submits (a Pro plan's slots) that take 8 s to claim, and polls and reads that go at once.
  for (let i = 0; i < 10; i += 1) all.push(request(8_000));
  for (let i = 0; i < 49; i += 1) all.push(request(0));
  for (let i = 0; i < 59; i += 1) all.push(request(0));
  await vi.advanceTimersByTimeAsync(400_000);
  await Promise.all(all);
  expect(mostIn60s(sent)).toBeLessThanOrEqual(60);
});
