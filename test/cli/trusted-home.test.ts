// `resume --all --trust-home`: what was paused for the home goes on, what a person paused waits for an order of its own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { orderPause, readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { ACCOUNT, seededHome } from './seeded-home.js';

/** Nobody listens there: the command ends once it has looked at the homes. */
const ALL = ['resume', '--all', '--temporal-address', '127.0.0.1:9'];

/** A batch whose outputs tell of another home. */
async function strangeHome() {
  const home = await seededHome('b', [{ id: 'one' }]);
  const limits = { maxCreditsNano: null, maxFailures: null };
  await writeBatchOrder(home.home, 'b', { limits, policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } });
  mkdirSync(join(home.folder, 'out', 'b'), { recursive: true });
  const mark = JSON.stringify({ schema: 1, homeId: 'a'.repeat(32), seenMs: 5 });
  writeFileSync(join(home.folder, 'out', 'b', `home-${ACCOUNT}.json`), mark);
  return { ...home, isPaused: async () => (await readBatchOrder(home.home, 'b'))?.isPaused };
}

describe.concurrent('a batch whose outputs tell of another home', { timeout: 90_000 }, () => {
  test('stays paused where a person had paused it', async ({ expect }) => {
    const { home, run, isPaused } = await strangeHome();
    await orderPause(home, 'b', true);
    await run(...ALL, '--trust-home');
    expect(await isPaused()).toBe(true);
  });

  test('goes on where only its home had it paused', async ({ expect }) => {
    const { run, isPaused } = await strangeHome();
    await run(...ALL);
    expect(await isPaused()).toBe(true);
    await run(...ALL, '--trust-home');
    expect(await isPaused()).toBe(false);
  });
});
