import { expect, test } from 'vitest';
import type { BatchRows } from '../../src/dashboard/batch-rows.js';
import { quoteOf, refuseMore } from '../../src/dashboard/quote.js';
import type { DashboardSource } from '../../src/dashboard/source.js';

const indexOf = (id: string) => [...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0);
const row = (id: string, status: string, ...feeders: string[]) => ({
  ...{ index: indexOf(id), id, status, isShared: false, files: [] as object[] },
  fed: feeders.map((one) => ({ id: one, at: indexOf(one) })),
});
const UNDECIDED = 'answer_lost_undecided';
const BATCH = {
  rows: [
    row('hero', 'review'),
    row('edit', 'not_started', 'hero'),
    row('film', 'held', 'edit'),
    row('past', 'done', 'hero'),
    row('alone', 'not_started'),
  ],
} as unknown as BatchRows;
const NONE: ReadonlySet<string> = new Set();
const STANDS = {
  ...{ mayRun: async () => undefined, queued: async () => NONE },
  status: async () => ({ state: 'finished' }),
};
const SOURCE = {
  ...STANDS,
  mostOf: async (_: string, indexes: ReadonlySet<number>) => indexes.size * 250_000_000,
} as unknown as DashboardSource;

const ended = (one: ReturnType<typeof row>, reasonCode: string) => ({ ...one, reasonCode, finishedAtMs: 1 });
const untried = (one: ReturnType<typeof row>, reasonCode = '') => ({ ...one, reasonCode, finishedAtMs: null });

test('a retry is confirmed with what it starts besides; what was paid is fetched', async () => {
  const rows = [
    ended(row('bad', 'failed'), 'render_failed'),
    ended(row('paid', 'review'), 'output_pending'),
    untried(row('fed', 'not_started', 'bad'), 'upstream_failed'),
    untried(row('left', 'not_started'), 'budget_reached'),
    ended({ ...row('twin', 'failed'), isShared: true }, 'shared_row_failed'),
  ];
  expect(await retryOf(rows)).toEqual({ rows: 5, credits: '1' });
  expect(await retryOf(rows, 'render_failed')).toEqual({ rows: 4, credits: '0.75' });
  // Its feeder stays failed.
  expect(await retryOf(rows, 'shared_row_failed')).toEqual({ rows: 3, credits: '0.5' });
});

test('no row of a retry is one that ends again as it had, is beyond a sample or runs by itself', async () => {
  const rows = [
    row('past', 'done'),
    ended(row('case', 'review'), 'answer_lost_undecided'),
    ended(row('bad', 'failed'), 'render_failed'),
    ended(row('worse', 'failed'), 'invalid_request'),
    untried(row('edit', 'not_started', 'case'), 'upstream_review'),
    untried(row('film', 'not_started', 'bad', 'edit'), 'upstream_review'),
    untried(row('late', 'not_started', 'past'), 'upstream_late'),
    untried(row('after', 'not_started', 'worse'), 'upstream_failed'),
    untried(row('stopped', 'cancelled')),
    untried(row('open', 'waiting')),
    untried(row('next', 'held', 'open')),
  ];
  expect(await retryOf(rows)).toEqual({ rows: 5, credits: '1.25' });
  expect(await retryOf(rows, 'render_failed')).toEqual({ rows: 3, credits: '0.75' });
  // Nothing of it runs: the order starts what is open as well.
  expect(await retryOf(rows, 'render_failed', { status: async () => ({ state: 'not running' }) })).toEqual({
    ...{ rows: 5, credits: '1.25' },
  });
  const mayRun = async () => new Set(['past', 'bad', 'after']);
  expect(await retryOf(rows, undefined, { mayRun })).toEqual({ rows: 1, credits: '0.25' });
});

test('to take files as they lie is confirmed with the renders that waited for that, whose rows are done', async () => {
  const rows = [row('portrait', 'done'), row('hero', 'done', 'portrait'), row('past', 'done', 'portrait')];
  const left = untried(row('film', 'not_started', 'portrait'), 'input_changed');
  const source = { ...SOURCE, stoppedByInputs: async () => new Set(['hero']) } as unknown as DashboardSource;
  const batch = { rows: [...rows.map((one) => untried(one)), left] } as unknown as BatchRows;
  const order = { order: 'retry', reason: 'input_changed' } as const;
  expect(await quoteOf(source, 'b', batch, { ...order, acceptInputs: true })).toEqual({ rows: 2, credits: '0.5' });
  expect(await quoteOf(source, 'b', batch, order)).toEqual({ rows: 1, credits: '0.25' });
});

test('an order that pays for more than was agreed to is refused, and says for what', async () => {
  const bad = (id: string) => ended(row(id, 'failed'), 'render_failed');
  const give = (rows: object[], agreed: { rows: number; credits: string | null }, source = SOURCE) =>
    refuseMore(source, 'b', { rows } as unknown as BatchRows, { order: 'retry' }, agreed);
  const one = { rows: 1, credits: '0.25' };
  // While the dialog stood open two more failed.
  await expect(give([bad('a'), bad('b'), bad('c')], one)).rejects.toThrow('3 rows, for at most 0.75 credits');
  await expect(give([bad('a')], one)).resolves.toBeUndefined();
  await expect(give([], one)).resolves.toBeUndefined();
  const unpriced = { ...SOURCE, mostOf: async () => null } as unknown as DashboardSource;
  await expect(give([bad('a')], one, unpriced)).rejects.toThrow('1 row, at a price that is not known');
  await expect(give([bad('a')], { rows: 1, credits: null }, unpriced)).resolves.toBeUndefined();
  await expect(give([bad('a'), bad('b')], { rows: 1, credits: null }, unpriced)).rejects.toThrow('2 rows');
  const pause = refuseMore(SOURCE, 'b', BATCH, { order: 'pause' }, { rows: 0, credits: '0' });
  await expect(pause).resolves.toBeUndefined();
});

function retryOf(rows: object[], reason?: string, stands: object = {}): Promise<object> {
  const source = { ...SOURCE, ...stands } as unknown as DashboardSource;
  return quoteOf(source, 'b', { rows } as unknown as BatchRows, { order: 'retry', ...(reason && { reason }) });
}

test('what waits for another row is cancelled with the others', async () => {
  expect(await quoteOf(SOURCE, 'b', BATCH, { order: 'cancel' })).toEqual({ rows: 3, credits: '0' });
});

test('a batch that goes on is confirmed with the rows that wait for others', async () => {
  expect(await quoteOf(SOURCE, 'b', BATCH, { order: 'resume' })).toEqual({ rows: 3, credits: '0.75' });
});

test('what goes on is confirmed with the rows of a retry that were kept back, which have their earlier ends', async () => {
  const failed = (id: string) => ended(row(id, 'failed'), 'render_failed');
  const rows = [
    row('past', 'done'),
    failed('bad'),
    failed('worse'),
    ended(row('out', 'cancelled'), ''),
    failed('left'),
  ];
  const queued = async () => new Set(['past', 'bad', 'worse', 'out']);
  const source = (stands: object) => ({ ...SOURCE, queued, isSpentBounded: async () => true, ...stands });
  const quote = (order: object, stands: object = {}) =>
    quoteOf(source(stands) as never, 'b', { rows } as unknown as BatchRows, order as never);
  const all = { rows: 3, credits: '0.75' };
  expect(await quote({ order: 'resume' })).toEqual(all);
  expect(await quote({ order: 'approve', maxCredits: '9' })).toEqual(all);
  const mayRun = async () => new Set(['bad']);
  expect(await quote({ order: 'resume' }, { mayRun })).toEqual({ rows: 1, credits: '0.25' });
  expect(await quote({ order: 'approve', maxCredits: '9' }, { mayRun })).toEqual(all);
});

test('an order for a row in review is confirmed with what follows it', async () => {
  expect(await quoteOf(SOURCE, 'b', BATCH, { order: 'resubmit', id: 'hero' })).toEqual({ rows: 3, credits: '0.75' });
  const attach = await quoteOf(SOURCE, 'b', BATCH, { order: 'attach-handle', id: 'hero', handle: 'x' });
  expect(attach).toEqual({ rows: 3, credits: '0.5' });
  const lost = await quoteOf(SOURCE, 'b', BATCH, { order: 'mark-lost', id: 'hero', isNotBilled: false });
  expect(lost).toEqual({ rows: 1, credits: '0' });
  const together = BATCH.rows.map((one) => ({ ...one, reasonCode: one.status === 'review' ? UNDECIDED : '' }));
  const group = await quoteOf(SOURCE, 'b', { ...BATCH, rows: together }, { order: 'settle-group' });
  expect(group).toEqual({ rows: 3, credits: '0.75' });
});

test('what follows a settled row is what the order sends: nothing where its batch stopped, is beyond a sample or waits on', async () => {
  const ofSource = (stands: object) => ({ ...SOURCE, ...stands }) as unknown as DashboardSource;
  const resubmit = (source: DashboardSource, batch = BATCH) =>
    quoteOf(source, 'b', batch, { order: 'resubmit', id: 'hero' });
  const stopped = ofSource({ status: async () => ({ state: 'finished', stopped: 'budget_reached' }) });
  expect(await resubmit(stopped)).toEqual({ rows: 1, credits: '0.25' });
  const sampled = ofSource({ mayRun: async () => new Set(['hero', 'edit']) });
  expect(await resubmit(sampled)).toEqual({ rows: 2, credits: '0.5' });
  const two = [...BATCH.rows, row('bad', 'failed'), row('both', 'not_started', 'hero', 'bad')];
  expect(await resubmit(SOURCE, { ...BATCH, rows: two } as BatchRows)).toEqual({ rows: 3, credits: '0.75' });
  // Rendered again just now, it has its earlier file until then: the order has the row follow both.
  const again = { ...row('bad', 'rendering'), files: [{}] };
  const both = [...BATCH.rows, again, row('both', 'not_started', 'hero', 'bad')];
  expect(await resubmit(SOURCE, { ...BATCH, rows: both } as BatchRows)).toEqual({ rows: 4, credits: '1' });
});

test('an approval is bounded only where what was spent before is', async () => {
  const quote = (isBounded: boolean) =>
    quoteOf({ ...SOURCE, isSpentBounded: async () => isBounded } as DashboardSource, 'b', BATCH, {
      order: 'approve',
      maxCredits: '1',
    });
  expect(await quote(true)).toEqual({ rows: 3, credits: '0.75' });
  expect(await quote(false)).toEqual({ rows: 3, credits: null });
});

test('what refers to a row that shares a render is confirmed with an order for the row that renders for both', async () => {
  const byTwin = <T extends object>(one: T) => ({ ...one, fed: [{ id: 'twin', at: indexOf('hero') }] });
  const [hero, twin] = [row('hero', 'review'), { ...row('twin', 'failed'), isShared: true }];
  const lost = { rows: [hero, twin, byTwin(row('film', 'not_started'))] } as unknown as BatchRows;
  expect(await quoteOf(SOURCE, 'b', lost, { order: 'resubmit', id: 'hero' })).toEqual({ rows: 2, credits: '0.5' });
  const failed = [
    ended(row('hero', 'failed'), 'render_failed'),
    ended(twin, 'shared_row_failed'),
    byTwin(untried(row('film', 'not_started'), 'upstream_failed')),
  ];
  // The copy goes on with the row that it shares, whatever reason the retry names.
  expect(await retryOf(failed, 'render_failed')).toEqual({ rows: 2, credits: '0.5' });
});

test('a row that is rendered again is confirmed with what it feeds that was rendered', async () => {
  const rows = [
    row('hero', 'done'),
    row('edit', 'done', 'hero'),
    { ...row('same', 'done', 'hero'), isShared: true },
    row('bad', 'failed', 'hero'),
    { ...row('film', 'done'), fed: [{ id: 'twin', at: indexOf('hero') }] },
  ];
  const again = (withDependents: boolean) =>
    quoteOf(SOURCE, 'b', { rows } as unknown as BatchRows, { order: 'rerun', id: 'hero', withDependents });
  expect(await again(true)).toEqual({ rows: 3, credits: '0.75' });
  expect(await again(false)).toEqual({ rows: 1, credits: '0.25' });
});
