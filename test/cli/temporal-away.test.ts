// Orders while nobody answers at the address of Temporal. Each command waits for it as long as it does for people, so that
// the tests wait together, each in a home of its own.
import { describe, test } from 'vitest';
import type { AttemptState, Intent } from '../../src/domain/attempt.js';
import { isCancelledBatch } from '../../src/home/batch-marks.js';
import { type BatchOrder, readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { seededHome, T0 } from './seeded-home.js';

/** Nobody listens there. */
const AWAY = ['--temporal-address', '127.0.0.1:9'];
const STANDS = 'Temporal does not answer: the order stands in the home';

const CREATED: AttemptState = { state: 'created', atMs: T0 + 1_000, handle: 'h' };
const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = {
  ...{ state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided' },
  sentence: 'it can be either',
};
const ORDER: BatchOrder = {
  limits: { maxCreditsNano: null, maxFailures: null },
  policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
};

async function homeWithOrder() {
  const home = await seededHome('b', [{ id: 'one' }]);
  await writeBatchOrder(home.home, 'b', ORDER);
  return home;
}

describe.concurrent('while Temporal is away', { timeout: 60_000 }, () => {
  test('of a review order each row is told, and the order ends with its own exit code', async ({ expect }) => {
    const record = { status: 'review', reasonCode: 'answer_lost_undecided' } as const;
    const home = await seededHome('b', [{ id: 'one', states: [LOST, UNDECIDED], record }]);
    const order = ['review', 'resubmit', 'b', 'one', 'nobody', '--yes', '--json', ...AWAY];
    const { exitCode, stdout } = await home.run(...order);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: [{ id: 'nobody' }, { id: 'one', recorded: { state: 'overridden' } }],
      held: expect.stringContaining('`callsheet resume b'),
    });
  });

  test('a cancel stands in the home, and nobody says that nothing runs', async ({ expect }) => {
    const home = await seededHome('b', [{ id: 'one' }, { id: 'two', record: {} }]);
    const { exitCode, stdout, stderr } = await home.run('cancel', 'b', '--json', ...AWAY);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Temporal does not answer: the order stands')]);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { done: 1, cancelled: 1 }, stillRunning: null });
    expect(await isCancelledBatch(home.home, 'b')).toBe(true);
  });

  test('a cancel tells the jobs that the ledger knows to be under way', async ({ expect }) => {
    const home = await seededHome('b', [
      { id: 'one', intent: { atMs: Date.now() - 60_000 }, states: [CREATED] },
      { id: 'two', states: [LOST] },
      { id: 'three', states: [CREATED], record: {} },
      { id: 'four' },
    ]);
    const [claim] = (await home.ledger.read('b', 'two'))[0]?.states ?? [];
    await home.ledger.claim({ batch: 'b', id: 'four', n: 1 }, claim as Intent);
    expect((await home.run('cancel', 'b', ...AWAY)).stdout).toMatch(
      /what the service accepted before \(3 jobs, at the latest until [\d:]{8}\) .*is billed/,
    );
  });

  test('a read of the account asks for no key of this command', async ({ expect }) => {
    const home = await seededHome('b', [{ id: 'one' }]);
    const { exitCode, stderr } = await home.run('credits', '--api-key-file', 'absent', ...AWAY);
    expect([exitCode, stderr]).toEqual([5, expect.not.stringContaining('B49')]);
  });

  test('limits of the account stand, are shown, and end with their own exit code', async ({ expect }) => {
    const home = await homeWithOrder();
    const ofAccount = await home.run('limits', '--rpm', '30', '--json', '--quiet', ...AWAY);
    expect(ofAccount.stderr).not.toContain('waiting for');
    expect([ofAccount.exitCode, ofAccount.stderr]).toEqual([0, expect.stringContaining(STANDS)]);
    expect(JSON.parse(ofAccount.stdout)).toMatchObject({ ordered: { rpm: 30 }, batches: null });
  });

  test('and so do those of a batch', async ({ expect }) => {
    const home = await homeWithOrder();
    const ofBatch = await home.run('limits', 'b', '--concurrency', '2', ...AWAY);
    expect([ofBatch.exitCode, ofBatch.stderr]).toEqual([0, expect.stringContaining(STANDS)]);
    expect((await readBatchOrder(home.home, 'b'))?.slots?.concurrency).toBe(2);
  });

  test('a pause stands in the home before anybody is connected to', async ({ expect }) => {
    const home = await homeWithOrder();
    const { exitCode, stdout, stderr } = await home.run('pause', 'b', ...AWAY);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Temporal does not answer: the order stands')]);
    expect(stderr).toMatch(/^waiting for the Temporal server at 127\.0\.0\.1:9\n/);
    expect(stdout).toContain("'b' is paused");
    expect((await readBatchOrder(home.home, 'b'))?.isPaused).toBe(true);
  });
});
