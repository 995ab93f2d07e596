// I12: requests whose turn came while the worker stood still leave when it goes on, and count from then.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createRequestWindow } from '../../src/worker/request-window.js';

afterEach(() => {
  vi.useRealTimers();
});

test('a worker that stood still for minutes sends no more in a minute than the plan has', async () => {
  vi.useFakeTimers({ now: 1_000_000_000 });
  let stoodStillMs = 0;
  const now = () => Date.now() + stoodStillMs;
  const file = join(mkdtempSync(join(tmpdir(), 'callsheet-window-')), 'requests', 'a.log');
  const window = createRequestWindow(file, { now, monotonic: now });
  window.setRpm(60);
  const sent: number[] = [];
  const submit = () => window.turn(Number.POSITIVE_INFINITY).then(() => void sent.push(now()));
  for (let i = 0; i < 59; i += 1) await submit();
  // As many submits as the plan has slots wait for their turn.
  const waiting = Array.from({ length: 20 }, submit);
  // The process is stopped (SIGSTOP, a starved machine) for five minutes; no timer of it fires meanwhile.
  stoodStillMs = 300_000;
  await vi.advanceTimersByTimeAsync(61_000);
  await Promise.all(waiting);
  for (let i = 0; i < 59; i += 1) if ((await window.turn(0)) === 0) sent.push(now());
  const resumedMs = 1_000_000_000 + stoodStillMs;
  expect(sent.filter((atMs) => atMs >= resumedMs).length).toBeLessThanOrEqual(60);
});

test('what leaves long after its turn counts from then', async () => {
  vi.useFakeTimers({ now: 1_000_000_000 });
  const now = () => Date.now();
  const file = join(mkdtempSync(join(tmpdir(), 'callsheet-window-')), 'requests', 'a.log');
  const window = createRequestWindow(file, { now, monotonic: now });
  window.setRpm(60);
  const turnMs = now();
  for (let i = 0; i < 59; i += 1) await window.turn(0);
  vi.advanceTimersByTime(10_000);
  for (let i = 0; i < 59; i += 1) window.leaves(turnMs);
  vi.advanceTimersByTime(51_000);
  expect(await window.turn(0)).toBe(10_000);
  vi.advanceTimersByTime(10_000);
  expect(await window.turn(0)).toBe(0);
});
