import { expect, test } from 'vitest';
import type { PageRow } from '../../src/dashboard/batch-rows.js';
import { chainOfRow, withDependents } from '../../src/dashboard/page-of-rows.js';

const row = (id: string, ...feeders: string[]) => {
  const fed = feeders.map((one, at) => ({ id: one, at }));
  return { id, title: id, status: 'done', fed } as unknown as PageRow;
};
const ROWS = [row('hero'), row('edit', 'hero'), row('film', 'edit'), row('join', 'hero', 'film'), row('alone')];
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('what feeds a row and what it feeds are the next rows alone', () => {
  const { fedBy, feeds } = chainOfRow(ROWS, ROWS[1] as PageRow);
  expect([ids(fedBy), ids(feeds)]).toEqual([['hero'], ['film']]);
  expect(ids(chainOfRow(ROWS, ROWS[3] as PageRow).fedBy)).toEqual(['hero', 'film']);
});

test('with everything that it feeds, also by others', () => {
  expect(ids(withDependents(ROWS, 'edit'))).toEqual(['edit', 'film', 'join']);
  expect(ids(withDependents(ROWS, 'alone'))).toEqual(['alone']);
});
