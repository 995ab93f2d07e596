// The chains that are left of a batch: what its rest waits for.
import { expect, test } from 'vitest';
import { createChainsLeft } from '../../src/cli/plan/count-kept-rows.js';
import { editRow, fed, filmOf } from '../support/chain-rows.js';
import { imageRow } from '../support/stack.js';

/** hero → edit → film, and hero → clip; the clip's line is before its feeder's. */
const STORY = [
  filmOf('clip', fed('hero', 1)),
  imageRow('hero', {}),
  editRow('edit', fed('hero', 1)),
  filmOf('film', fed('edit', 2)),
].map((row, index) => ({ ...row, index }));

test('rows that have ended bind nothing any more', () => {
  const chains = createChainsLeft();
  for (const row of STORY) chains.add(row);
  expect(chains.totals([])).toEqual({
    ...{ count: 1, rows: 4, fed: 3, longest: 3 },
    paths: [
      ['svc/image', 'vendor-a/image2video'],
      ['svc/image', 'svc/edit'],
      ['svc/image', 'svc/edit', 'vendor-a/image2video'],
    ],
  });
});

test('what a row that has ended feeds waits for nothing', () => {
  const chains = createChainsLeft();
  for (const row of STORY) chains.add(row);
  expect(chains.totals([false, true])).toEqual({
    ...{ count: 1, rows: 2, fed: 1, longest: 2 },
    paths: [['svc/edit', 'vendor-a/image2video']],
  });
  const none = createChainsLeft();
  for (const row of STORY) none.add(row);
  expect(none.totals([true, true, true])).toMatchObject({ count: 0, paths: [] });
});

test('rows that are not run, since what feeds them brings nothing, wait for nothing', () => {
  const chains = createChainsLeft();
  for (const row of STORY) chains.add(row);
  // The hero is rendered; the edit failed before, so that neither it nor the film is run.
  expect(chains.totals([false, false, true], new Set([2, 3]))).toEqual({
    ...{ count: 1, rows: 2, fed: 1, longest: 2 },
    paths: [['svc/image', 'vendor-a/image2video']],
  });
  const none = createChainsLeft();
  for (const row of STORY) none.add(row);
  expect(none.totals([], new Set([0, 1, 2, 3]))).toMatchObject({ count: 0, rows: 0, fed: 0, longest: 0, paths: [] });
});

test('what feeds a row and is not counted itself is waited for by nobody', () => {
  const chains = createChainsLeft();
  for (const row of STORY.slice(2)) chains.add(row);
  expect(chains.totals([])).toMatchObject({ count: 1, rows: 2, fed: 1, longest: 2 });
});
