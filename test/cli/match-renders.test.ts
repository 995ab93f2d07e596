// Which earlier render stands for which row: the same id first, then in order, each render once, damaged ones for nobody.

import { describe, expect, test } from 'vitest';
import { type Candidate, createRenderSources, matchRenders } from '../../src/cli/reuse/found-renders.js';

import type { KnownRender } from '../../src/home/gather-renders.js';

const rowsOf = (...ids: string[]): Candidate[] =>
  ids.map((id, index) => ({ key: 'k', index, id, kind: 'svc/image', price: null, hasUrls: false }));

/** As `batch/id`. */
const rendersOf = (...sources: string[]): KnownRender[] =>
  sources.map((source) => {
    const [batch = '', id = ''] = source.split('/');
    return { key: 'k', batch, id, creditsNano: 1, atMs: 1, sha256: 'f', isUnderWay: false };
  });

async function matched(rows: Candidate[], renders: KnownRender[], damaged: readonly string[] = []) {
  const asked: string[] = [];
  const found = await matchRenders({ rows, renders, underWay: 0 }, async ({ batch, id }) => {
    asked.push(`${batch}/${id}`);
    return !damaged.includes(`${batch}/${id}`);
  });
  // No render is looked at twice: a film takes minutes to read.
  expect(new Set(asked).size).toBe(asked.length);
  return Object.fromEntries(found.map(({ row, render }) => [row.id, render && `${render.batch}/${render.id}`]));
}

describe('matchRenders', () => {
  test('the same id first, whatever order rows and renders have; the others in their own order', async () => {
    expect(await matched(rowsOf('n', 'b', 'a'), rendersOf('s/a', 's/b', 's/c', 's/d'))).toEqual({
      ...{ n: 's/c', b: 's/b', a: 's/a' },
    });
  });

  test('each render is given once; rows that are left over have none', async () => {
    expect(await matched(rowsOf('a', 'x', 'y'), rendersOf('s/b', 's/a'))).toEqual({ a: 's/a', x: 's/b', y: undefined });
  });

  test('of two batches with the same id the first one that is whole; the other stands for another row', async () => {
    const renders = rendersOf('new/a', 'old/a');
    expect(await matched(rowsOf('a', 'b'), renders)).toEqual({ a: 'new/a', b: 'old/a' });
    expect(await matched(rowsOf('a', 'b'), renders, ['new/a'])).toEqual({ a: 'old/a', b: undefined });
  });

  test('a damaged render is given to nobody, and its row takes another that nobody of its id needs', async () => {
    expect(await matched(rowsOf('a', 'b'), rendersOf('s/a', 's/b', 's/c'), ['s/a'])).toEqual({ a: 's/c', b: 's/b' });
    expect(await matched(rowsOf('a', 'b'), rendersOf('s/x', 's/y', 's/z'), ['s/x', 's/z'])).toEqual({
      ...{ a: 's/y', b: undefined },
    });
  });
});

test('sources are kept by index, with gaps, and counted', () => {
  const sources = createRenderSources();
  sources.set(7, { batch: 's', id: 'a', atMs: 1 });
  sources.set(3, { batch: 't', id: 'b', atMs: 2 });
  sources.set(1_000_000, { batch: 's', id: 'c', atMs: 3 });
  expect(sources.count()).toBe(3);
  expect([0, 3, 7, 1_000_000, 2_000_000].map((index) => sources.get(index))).toEqual([
    undefined,
    { batch: 't', id: 'b', atMs: 2 },
    { batch: 's', id: 'a', atMs: 1 },
    { batch: 's', id: 'c', atMs: 3 },
    undefined,
  ]);
});
