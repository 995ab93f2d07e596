// I12: requests in any 60 s are no more than the plan's, the command line's own included: a run asks for balance and discounts itself.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteRequest } from '../../src/cli/access/home-access.js';
import type { Config } from '../../src/config.js';
import { createRequestWindow } from '../../src/worker/request-window.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000_000, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const data = () => mkdtempSync(join(tmpdir(), 'callsheet-window-'));
const configOf = (folder: string) => ({ data: folder, account: { name: 'a' } }) as Config;

function opened(folder: string) {
  const window = createRequestWindow(join(folder, 'requests', 'a.log'), { now: Date.now, monotonic: Date.now });
  window.setRpm(60);
  return window;
}

async function sentNow(window: ReturnType<typeof opened>): Promise<number> {
  let sent = 0;
  while ((await window.turn(0)) === 0) sent += 1;
  return sent;
}

test('what a command asked before the engine began is counted by it', async () => {
  const folder = data();
  for (let i = 0; i < 4; i += 1) await noteRequest(configOf(folder));
  vi.setSystemTime(Date.now() + 20_000);
  expect(4 + (await sentNow(opened(folder)))).toBeLessThanOrEqual(60);
});

test('what a command asks while the engine serves is counted too, once', async () => {
  const folder = data();
  const window = opened(folder);
  for (let i = 0; i < 30; i += 1) await window.turn(0);
  vi.setSystemTime(Date.now() + 20_000);
  for (let i = 0; i < 3; i += 1) await noteRequest(configOf(folder));
  expect(await sentNow(window)).toBe(59 - 33);
  vi.setSystemTime(Date.now() + 61_000);
  expect(await sentNow(window)).toBe(59);
});
