// Design 2, "Exit codes": the worst of several wins in the order 3, 6, 1, also when a batch waits for credits.
import { expect, test } from 'vitest';
import type { FollowEnd } from '../../src/cli/batch/follow.js';
import { leaveBatch } from '../../src/cli/batch/watch-batch.js';
import { orItsEnd } from '../../src/cli/batch/write-end.js';
import type { RetryOrder } from '../../src/contract/workflows.js';
import { noCounts, type RowRecord } from '../../src/domain/outcome.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { type SeededRow, seededHome } from './seeded-home.js';

const TERMS = {
  limits: { maxCreditsNano: null, maxFailures: null },
  policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
} as const;

async function leave(record: Partial<RowRecord>, reason: 'credits' | 'key' = 'credits') {
  const rows: SeededRow[] = [{ id: 'one', record }, { id: 'open' }];
  const access = await seededHome('b', rows);
  const said: string[] = [];
  const told: number[] = [];
  const terminal = { error: (line: string) => said.push(line), warn: (line: string) => said.push(line) };
  const session = { terminal, config: { budget: { waitMinutes: 15 } }, origins: new Map() };
  const events = { detached: (_: string, exitCode: number) => told.push(exitCode), written: async () => undefined };
  const generation = (await access.rows.currentGeneration('b')) ?? '';
  const counts = { ...noCounts(), [record.status ?? 'done']: 1 };
  const end = { end: 'paused_too_long', reason, last: { progress: { generation, counts } } } as unknown as FollowEnd;
  const exitCode = await leaveBatch({ session, access, batch: 'b' } as never, end as never, events as never);
  return { exitCode, told, said: said.join('\n') };
}

test('out of credits for too long: 6, or 3 while a row needs a person', async () => {
  expect(await leave({})).toMatchObject({ exitCode: 6, told: [6] });
  const review = await leave({ status: 'review', reasonCode: 'answer_lost_undecided' });
  expect(review).toMatchObject({ exitCode: 3, told: [3] });
  expect(review.said).toMatch(/^out of credits for longer than .*\n1 row needs a person: `callsheet review list b`/);
});

test('a row that a person gave up as lost needs nobody any more', async () => {
  expect(await leave({ status: 'lost_paid', reasonCode: 'answer_lost_billed' })).toMatchObject({ exitCode: 3 });
  expect(await leave({ status: 'lost_paid', reasonCode: 'marked_lost' })).toMatchObject({ exitCode: 6 });
});

test('a refused key is no order of 3, 6, 1', async () => {
  expect(await leave({ status: 'review', reasonCode: 'answer_lost_undecided' }, 'key')).toMatchObject({ exitCode: 4 });
});

test('an engine that was stopped while the last rows ended: the batch has ended, with its own exit code', async () => {
  const end = async (rows: SeededRow[], retry: RetryOrder | null = null) => {
    const access = await seededHome('b', rows);
    const generation = (await access.rows.currentGeneration('b')) ?? '';
    const config = { s3: {} };
    await writeBatchOrder(access.home, 'b', { ...TERMS, retry, generation });
    return orItsEnd({ access: { ...access, config }, batch: 'b' } as never, generation, { end: 'stopped' });
  };
  expect(await end([{ id: 'one', record: {} }])).toMatchObject({ end: 'ended', result: { counts: { done: 1 } } });
  expect(await end([{ id: 'one', record: {} }, { id: 'open' }])).toEqual({ end: 'stopped' });
  // Rows that a retry has not come to have the records of their ends.
  const failed: SeededRow = {
    id: 'one',
    record: { status: 'failed', reasonCode: 'render_failed', endedUnder: 'last' },
  };
  const order = (id: string): RetryOrder => ({ id, beforeMs: 0, classes: [] });
  expect(await end([failed], order('next'))).toEqual({ end: 'stopped' });
  expect(await end([failed], order('last'))).toMatchObject({ end: 'ended', result: { counts: { failed: 1 } } });
});

test('who leaves a batch is told how many jobs render, by the last look', async () => {
  const say = async (rendering: number) => {
    const said: string[] = [];
    const session = {
      terminal: { say: (line: string) => said.push(line) },
      config: { temporal: { address: null } },
      origins: new Map(),
    };
    const holders = Array.from({ length: rendering }, () => ({ job: { batch: 'b' }, phase: 'rendering' }));
    const last = { progress: { rows: 3, counts: { ...noCounts(), done: 1 } }, slots: { holders } };
    const exitCode = await leaveBatch({ session, batch: 'b' } as never, { end: 'detached', last } as never, undefined);
    expect(exitCode).toBe(130);
    expect(said[0]).toBe("detached: batch 'b' goes on in the background, 2 rows are not finished");
    return said[1];
  };
  expect(await say(2)).toBe('up to 2 jobs render at the service now and will be billed; new ones follow');
  expect(await say(1)).toBe('up to 1 job renders at the service now and will be billed; new ones follow');
  expect(await say(0)).toMatch(/^no job rendered at the service when that was last seen; /);
});
