import { expect, test } from 'vitest';
import type { BatchRows } from '../../src/dashboard/batch-rows.js';
import { quoteOf } from '../../src/dashboard/quote.js';
import type { DashboardSource } from '../../src/dashboard/source.js';

const row = (id: string, status: string, ...feeders: string[]) => ({
  ...{ index: [...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0), id, status, isShared: false },
  fed: feeders.map((one, at) => ({ id: one, at })),
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
const SOURCE = {
  mostOf: async (_: string, indexes: ReadonlySet<number>) => indexes.size * 250_000_000,
} as unknown as DashboardSource;

test('a retry is confirmed with what it starts besides; what was paid is fetched, and nothing beyond a sample', async () => {
  const rows = [
    { ...row('bad', 'failed'), reasonCode: 'render_failed' },
    { ...row('paid', 'review'), reasonCode: 'output_pending' },
    { ...row('fed', 'not_started'), reasonCode: 'upstream_failed' },
    { ...row('beyond', 'not_started'), reasonCode: '' },
  ];
  const quote = (reason?: string) =>
    quoteOf(SOURCE, 'b', { rows } as unknown as BatchRows, { order: 'retry', ...(reason && { reason }) });
  expect(await quote()).toEqual({ rows: 3, credits: '0.5' });
  expect(await quote('output_pending')).toEqual({ rows: 2, credits: '0.25' });
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
