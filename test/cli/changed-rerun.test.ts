// A changed row that was ordered to be paid again needs nobody while it waits and renders, and keeps its cost and its files.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { markStopped } from '../../src/home/batch-marks.js';
import { orderRerun } from '../../src/home/row-orders.js';
import { rowsForPerson } from '../../src/home/rows-for-person.js';
import { CREDIT, seededHome, T0 } from './seeded-home.js';

const BEFORE: AttemptState[] = [
  { state: 'created', atMs: T0 + 1_000, handle: 'g' },
  { state: 'ended', atMs: T0 + 2_000, word: 'failed', message: 'no' },
];

async function changed(rows: number) {
  const others = Array.from({ length: rows - 1 }, (_, i) => ({ id: `r${i}`, record: { creditsNano: 0 } }));
  const record = { rowHash: 'another', creditsNano: 0.4 * CREDIT };
  const home = await seededHome('b', [
    { id: 'one', states: BEFORE, intent: { rowHash: 'another' }, record },
    ...others,
  ]);
  return { home, generation: (await home.rows.currentGeneration('b')) ?? '' };
}

// The larger one is read by its index.
test.each([2, 1_000])(
  'of %d rows',
  async (rows) => {
    const { home, generation } = await changed(rows);
    const status = async () => JSON.parse((await home.run('status', 'b', '--json')).stdout);
    expect(await status()).toMatchObject({ needPerson: 1, counts: { review: 1 } });
    await orderRerun(home.home, 'b', generation, new Set(['one']), T0);
    // A manifest is taken over after its orders: its index begins anew.
    rmSync(join(home.folder, 'home', home.home.keys.index('b', generation)), { recursive: true, force: true });
    expect(await status()).toMatchObject({
      needPerson: 0,
      counts: { review: 0 },
      live: { waiting: 1 },
      credits: '0.4',
    });
    expect(await rowsForPerson(home, 'b', generation, { isRunning: true })).toMatchObject({ counts: { review: 0 } });
    const place = { generation, part: 0, index: 0, kind: 'vendor-f/video' as const, expected: null };
    const claim = { state: 'intent' as const, atMs: T0 + 2_000, nonce: 'b'.repeat(64), rowHash: 'hash-one', ...place };
    await home.ledger.claim({ batch: 'b', id: 'one', n: 2 }, claim);
    await home.ledger.append({ batch: 'b', id: 'one', n: 2 }, { state: 'created', atMs: T0 + 3_000, handle: 'h' });
    expect(await status()).toMatchObject({ needPerson: 0, live: { rendering: 1 }, credits: '0.4' });
  },
  60_000,
);

test('one that its batch stopped before was not started', async () => {
  const { home, generation } = await changed(2);
  await orderRerun(home.home, 'b', generation, true, T0);
  await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
  const told = JSON.parse((await home.run('status', 'b', '--json')).stdout);
  expect(told).toMatchObject({ needPerson: 0, counts: { done: 1, not_started: 1 }, credits: '0.4' });
});
