// F40: how long an output was tried is counted while the machine was awake, over all its tries.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import { type Tries, withTries } from '../../activities/files/tries.js';

/** One try that lasts until it was counted; gives what the next one is told. */
async function tryAfter(heartbeatDetails?: Tries): Promise<Tries> {
  const env = new MockActivityEnvironment({ heartbeatDetails });
  const told: Tries[] = [];
  env.on('heartbeat', (details: Tries) => told.push({ ...details }));
  const before = heartbeatDetails?.triedMs ?? 0;
  const run = () =>
    withTries({ tries: 2, sinceMs: 5 }, (tries) => vi.waitUntil(() => tries.triedMs > before, { timeout: 10_000 }));
  await env.run(run);
  return told.at(-1) as Tries;
}

test('each try goes on where the one before ended', async () => {
  const first = await tryAfter();
  expect(first).toMatchObject({ tries: 3, sinceMs: 5, blocked: 0, code: null });
  expect(first.triedMs).toBeGreaterThan(0);
  const second = await tryAfter(first);
  expect(second.tries).toBe(4);
  expect(second.triedMs).toBeGreaterThan(first.triedMs);
});
