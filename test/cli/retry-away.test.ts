// A retry takes a cancel back when it is handed over, and not before (I19; design 9: after a cancel nothing follows).
import { expect, test } from 'vitest';
import { isCancelledBatch, markCancelled, markStopped, stoppedReason } from '../../src/home/batch-marks.js';
import { serve } from '../download/broken-server.js';
import { seededHome, T0 } from './seeded-home.js';

const ACCOUNT = { discounts: [], credits_remaining: 10, plan_level: 'pro', rpm_limit: 60, concurrent_limit: 5 };

test('a retry that cannot be handed over leaves the batch cancelled: a later `resume --all` pays for nothing', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ACCOUNT));
  });
  const failed = { status: 'failed', reasonCode: 'render_failed' } as const;
  const rows = [{ id: 'one', record: failed }, { id: 'untried' }];
  const { home, run } = await seededHome('b', rows, `http://127.0.0.1:${server.port}`);
  await markCancelled(home, 'b', T0);
  await markStopped(home, 'b', 'too_many_failures', { atMs: T0 });
  // Nobody listens there.
  const { exitCode, stderr } = await run('retry', 'b', '--yes', '--temporal-address', '127.0.0.1:9');
  expect([exitCode, stderr]).toEqual([5, expect.stringContaining('127.0.0.1:9')]);
  expect([await isCancelledBatch(home, 'b'), await stoppedReason(home, 'b')]).toEqual([true, 'too_many_failures']);
}, 60_000);
