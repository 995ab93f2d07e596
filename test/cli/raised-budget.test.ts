import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test, vi } from 'vitest';
import { startEmulator } from '../../emulator/emulator.js';
import { raiseRunning } from '../../src/cli/batch/approve-batch.js';
import { approvedBudget, budgetsOf } from '../../src/cli/batch/approved-budget.js';
import { countLeft, refuseSameBudget } from '../../src/cli/batch/resume-refusals.js';
import { hasQueuedRows, queuedRows } from '../../src/cli/batch/what-is-left.js';
import { markStopped, readSampleGate, stoppedReason, writeSampleGate } from '../../src/home/batch-marks.js';
import { readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { CREDIT, type SeededHome, type SeededRow, seededHome, T0 } from './seeded-home.js';

const PRICES = [{ kind: 'vendor-f/video' as const, components: [{ unit: 'request' as const, credits: '0.4' }] }];
const CANCELLED = { status: 'cancelled', reasonCode: 'cancelled_by_user', attempts: 0 } as const;
const RAISE = "the batch's budget is 0.3: `callsheet approve b --max-credits <n> ";

/** A batch that may cost `maxCredits`, and whose retry ran until that was spent. */
async function budgeted(rows: SeededRow[], maxCredits: number, url?: string): Promise<SeededHome> {
  const home = await seededHome('b', rows, url);
  const generation = (await home.rows.currentGeneration('b')) ?? '';
  await writeBatchOrder(home.home, 'b', {
    limits: { maxCreditsNano: maxCredits * CREDIT, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    ...{ retry: { beforeMs: T0 + 90_000, classes: [] }, generation, prices: PRICES },
  });
  return home;
}

async function approved(home: SeededHome, maxCredits: number): Promise<void> {
  const generation = (await home.rows.currentGeneration('b')) ?? '';
  await writeSampleGate(home.home, 'b', {
    ...{ ids: ['one'], atMs: 1 },
    approved: { generation, maxCreditsNano: maxCredits * CREDIT, atMs: 2 },
  });
}

describe('a budget that was approved after a sample', () => {
  async function served<T>(use: (url: string) => Promise<T>): Promise<T> {
    const emulator = await startEmulator({ keys: [{ key: 'sk-svc-test', state: 'active' }] });
    return use(emulator.url).finally(() => emulator.close());
  }

  test('is raised where nothing waits, by the order that names more', () =>
    served(async (url) => {
      const home = await budgeted([{ id: 'one', record: {} }], 0.8, url);
      await approved(home, 0.8);
      for (const more of [[], ['--max-credits', '0.8']]) {
        const refused = await home.run('approve', 'b', ...more);
        const advice = 'its budget is 0.8 credits (`callsheet approve b --max-credits <more> ';
        expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(advice)]);
      }
      const { exitCode, stdout, stderr } = await home.run('approve', 'b', '--max-credits', '5');
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('its new limits hold for what is ordered')]);
      expect(stderr).toMatch(/^budget {4}5 credits from now on, 0\.8 before, with 0 of the batch so far$/m);
      expect((await readSampleGate(home.home, 'b'))?.approved?.maxCreditsNano).toBe(5 * CREDIT);
      expect((await readBatchOrder(home.home, 'b'))?.limits.maxCreditsNano).toBe(5 * CREDIT);
    }));

  test('is never lowered, and counts the rows that were ordered again and kept back', () =>
    served(async (url) => {
      const home = await budgeted([{ id: 'one', record: {} }, ...cancelledRows()], 0.8, url);
      await approved(home, 0.8);
      await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
      home.stopEngine();
      const less = await home.run('approve', 'b', '--max-credits', '0.5');
      expect([less.exitCode, less.stderr]).toEqual([2, expect.stringContaining('--max-credits 0.5 is less')]);
      const unsaid = await home.run('approve', 'b');
      expect([unsaid.exitCode, unsaid.stderr]).toEqual([2, expect.stringMatching(/2 rows would be submitted \(/)]);
      expect((await readSampleGate(home.home, 'b'))?.approved?.maxCreditsNano).toBe(0.8 * CREDIT);
      expect(await stoppedReason(home.home, 'b')).toBe('budget_reached');
    }));

  test('is held to what the sample was run with: settings for all batches are no word of a person', async () => {
    const home = await budgeted([{ id: 'one', record: {} }], 5);
    const limits = { maxCreditsNano: 5 * CREDIT, maxFailures: { rows: 2 } };
    const order = await readBatchOrder(home.home, 'b');
    const approve = (origin: string, maxCredits: number) => {
      const config = { budget: { maxCredits: maxCredits * CREDIT, maxFailures: { rows: 9 } }, prices: [] };
      const origins = new Map(['budget.maxCredits', 'budget.maxFailures'].map((name) => [name, { name: origin }]));
      const cli = { io: { isInteractive: false } };
      const session = { config, origins, cli, terminal: { note: () => undefined } } as never;
      const budgets = budgetsOf(session, { ids: ['one'], atMs: 1 }, order && { ...order, limits }, 'g');
      const total = { toSubmit: 9, unknown: 0, lowNano: 40 * CREDIT, worstNano: 40 * CREDIT };
      const known = { session, access: home, batch: 'b' } as never;
      const agreed = { isSaidYes: true, isSaidUnpriced: false };
      return { budgets, next: approvedBudget(known, { costs: { total } } as never, budgets, agreed) };
    };
    for (const maxCredits of [2, 100]) {
      const { budgets, next } = approve('config file', maxCredits);
      expect(budgets.given).toEqual({ maxCreditsNano: null, maxFailures: null });
      await expect(next).rejects.toThrow('say --max-credits <n>, for all of it --max-credits 40');
    }
    const typed = approve('flag', 100);
    expect(typed.budgets.given.maxFailures).toEqual({ rows: 9 });
    expect(await typed.next).toBe(40 * CREDIT);
  });

  test.each([true, false])('is raised while the batch runs, which hears of it: %s', async (isThere) => {
    const home = await budgeted([{ id: 'one' }], 0.8);
    await approved(home, 0.8);
    const signal = vi.fn(async () => {
      if (!isThere) throw new WorkflowNotFoundError('absent', 'w', undefined);
    });
    const closed = vi.fn();
    const work = { temporal: { client: { workflow: { getHandle: () => ({ signal }) } } }, close: async () => closed() };
    const said: string[] = [];
    const config = { budget: { maxCredits: 5 * CREDIT, maxFailures: null }, prices: [] };
    const origins = new Map([['prices', { name: 'default' }]]);
    const session = { config, origins, terminal: { data: (line: string) => said.push(line) } };
    const generation = { generation: (await home.rows.currentGeneration('b')) ?? '' };
    const known = { session, access: home, batch: 'b', generation } as never;
    const isRaised = await raiseRunning(
      known,
      () => approved(home, 5),
      async () => work as never,
    );
    const order = { maxCreditsNano: 5 * CREDIT, maxFailures: null, lifted: 0 };
    expect(signal.mock.calls).toEqual([[expect.objectContaining({ name: 'setBudget' }), order]]);
    expect((await readBatchOrder(home.home, 'b'))?.limits.maxCreditsNano).toBe(5 * CREDIT);
    // One that ended by its own stop meanwhile is run again as any other.
    expect([isRaised, said]).toEqual([isThere, isThere ? ["'b' may cost 5 credits in all from now on"] : []]);
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test('an order that it has no room for names the command that raises it', async () => {
    const home = await budgeted([{ id: 'one', record: {} }], 0.3);
    await approved(home, 0.3);
    const { exitCode, stderr } = await home.run('rerun', 'b', 'one', '--yes');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(RAISE)]);
  });
});

function cancelledRows(): SeededRow[] {
  return ['two', 'three'].map((id) => ({ id, record: CANCELLED }));
}

describe('a batch that stopped at its budget while cancelled rows ran again', () => {
  const known = async (home: SeededHome) => {
    const generation = await home.rows.generation('b', (await home.rows.currentGeneration('b')) ?? '');
    const session = { config: { account: { name: 'seeded' }, prices: PRICES }, origins: new Map(), cli: {} };
    return { session, access: home, batch: 'b', generation } as never;
  };

  test('those rows are left, as many as were kept back', async () => {
    const home = await budgeted([{ id: 'one', record: {} }, ...cancelledRows(), { id: 'four' }], 0.8);
    await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
    expect(await countLeft(await known(home))).toBe(3);
    // The page names them before it lets the batch go on.
    const queued: string[] = [];
    const generation = (await home.rows.currentGeneration('b')) ?? '';
    for await (const id of queuedRows(home as never, 'b', generation)) queued.push(id);
    expect(queued).toEqual(['two', 'three']);
    expect(await hasQueuedRows(home as never, 'b', generation)).toBe(false);
    const { stdout, stderr } = await home.run('watch', 'b');
    expect(stdout + stderr).toContain('stopped by the budget: 3 rows were not started');
  });

  test('a budget with room for one goes on; one without names what it stopped at', async () => {
    const home = await budgeted([{ id: 'one', record: {} }, ...cancelledRows()], 0.2);
    const before = { maxCreditsNano: 0.2 * CREDIT, maxFailures: null };
    const refuse = async (credits: number) =>
      refuseSameBudget(await known(home), { maxCreditsNano: credits * CREDIT, maxFailures: null }, before);
    await expect(refuse(5)).resolves.toBeUndefined();
    await expect(refuse(0.3)).rejects.toThrow(
      "'b' stopped at its budget of 0.2 credits, and 0.3 leaves no room for another row (with it 0.4 at least)",
    );
  });
});
