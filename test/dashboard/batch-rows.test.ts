// A large batch is shown before all of its rows are read.
import { expect, test } from 'vitest';
import { createRowsReader, readSlice } from '../../src/dashboard/batch-rows.js';
import { asksForHead, chosenRows, rowsQuerySchema } from '../../src/dashboard/page-of-rows.js';
import { defined } from '../../src/domain/defined.js';
import { type RowRecord, sharesText } from '../../src/domain/outcome.js';
import type { ResultLine } from '../../src/manifest/result-fields.js';
import { rowOf } from '../cli/seeded-home.js';
import { rowRecord } from '../support/row-record.js';

const IDS = ['a', 'b', 'c', 'd'];

async function* lines(until?: Promise<void>): AsyncIterable<ResultLine> {
  for (const [index, id] of IDS.entries()) {
    yield {
      row: rowOf(id, index),
      originalCells: {},
      live: 'waiting',
      ...(id === 'b' ? { removed: true as const } : {}),
    };
  }
  await until;
}

test('while a pass goes on nothing is there at once; whoever waits gets it, and it is there afterwards', async () => {
  let end = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  let passes = 0;
  const reader = createRowsReader(
    {
      generation: async () => `g${passes}`,
      lines: () => {
        passes += 1;
        return lines(until);
      },
    },
    () => 0,
  );
  expect(await reader.atOnce('b')).toBeUndefined();
  const all = reader.all('b');
  end();
  expect((await all).rows.map(({ id }) => id)).toEqual(['a', 'c', 'd']);
  expect(await reader.atOnce('b')).toBe(await all);
  // Named before they were read: an order that names it is refused where they are of a newer one.
  expect((await all).generation).toBe('g0');
  expect(passes).toBe(1);
});

test('a pass that takes long keeps no question waiting: what was read last is told, and that it is read anew', async () => {
  let nowMs = 0;
  let until = Promise.resolve();
  let end = (): void => undefined;
  const reader = createRowsReader({ generation: async () => 'g', lines: () => lines(until) }, () => {
    nowMs += 1_500;
    return nowMs;
  });
  const first = await reader.all('b');
  expect(reader.isBehind('b')).toBe(false);
  nowMs += 60_000;
  until = new Promise<void>((resolve) => {
    end = resolve;
  });
  expect(await reader.all('b')).toBe(first);
  expect(reader.isBehind('b')).toBe(true);
  end();
  await expect.poll(() => reader.isBehind('b')).toBe(false);
  expect(await reader.all('b')).not.toBe(first);
});

test('a page of the manifest’s order is read by itself, without rows that left it', async () => {
  const page = await readSlice(lines(), { offset: 1, limit: 2 });
  expect(page.map(({ id, status }) => [id, status])).toEqual([
    ['c', 'waiting'],
    ['d', 'waiting'],
  ]);
});

test('only the first rows as they stand in the manifest are asked for so', () => {
  const asks = (query: object) => asksForHead(rowsQuerySchema.parse(query));
  expect([asks({}), asks({ offset: '100', limit: '200' })]).toEqual([true, true]);
  const others = [{ status: 'done' }, { text: 'x' }, { output: 'yes' }, { sort: 'id' }, { direction: 'down' }];
  expect([...others, { offset: '1000' }].map(asks)).toEqual(Array(6).fill(false));
});

test('a row that would share a render and is sent by itself is no copy', async () => {
  const copied = [sharesText('a')];
  const { all } = createRowsReader(
    {
      generation: async () => 'g',
      async *lines() {
        const line = (id: string, index: number, shares: number | undefined, record: Partial<RowRecord>) => ({
          row: { ...rowOf(id, index), ...defined({ shares }) },
          ...{ originalCells: {}, record: rowRecord({ id, ...record }) },
        });
        yield line('a', 0, undefined, { status: 'lost_paid' });
        yield line('b', 1, 0, { status: 'done', warnings: copied });
        yield line('c', 2, 0, { status: 'done' });
        yield line('d', 3, undefined, { status: 'skipped' });
        yield line('e', 4, 3, { status: 'not_started' });
      },
    },
    () => 0,
  );
  expect((await all('b')).rows.filter(({ isShared }) => isShared).map(({ id }) => id)).toEqual(['b']);
});

test('a row that is done has the flags of its results, and is found by them', async () => {
  const reader = createRowsReader(
    {
      generation: async () => 'g',
      async *lines() {
        const line = (id: string, index: number, flags: RowRecord['flags']) => ({
          ...{ row: rowOf(id, index), originalCells: {}, record: rowRecord({ id, flags }) },
        });
        yield line('a', 0, []);
        yield { ...line('b', 1, []), isStale: true as const };
        yield { ...line('c', 2, ['rerun_failed']), isStale: true as const };
      },
    },
    () => 0,
  );
  const all = await reader.all('b');
  expect(all.rows.map(({ flags }) => flags)).toEqual([[], ['stale_input'], ['rerun_failed', 'stale_input']]);
  const found = (text: string) => chosenRows(all, rowsQuerySchema.parse({ text })).map(({ id }) => id);
  expect([found('stale_input'), found('rerun_failed')]).toEqual([['b', 'c'], ['c']]);
});
