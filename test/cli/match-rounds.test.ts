// Rows that others feed are asked for after those: the same request stands in both rounds.
import { expect, test } from 'vitest';
import { type Candidate, newFound } from '../../src/cli/reuse/found-renders.js';
import { type Matching, matchAll } from '../../src/cli/reuse/match-all.js';
import type { KnownRender } from '../../src/home/gather-renders.js';
import { createLineIndex } from '../../src/manifest/line-index.js';

const key = 'ab'.repeat(32);
const render: KnownRender = {
  ...{ key, batch: 'before', id: 'one', creditsNano: 1, atMs: 1, sha256: 'cd'.repeat(32), isUnderWay: false },
};

test('one render stands for one row, whichever round asks for it', async () => {
  const found = newFound('bytes');
  const facts = { finishedBefore: [], onReused: () => undefined, onElsewhere: () => undefined };
  const index = {
    async *renders() {
      yield render;
    },
  };
  const check = { whole: async () => ({ record: {}, store: {} }) };
  const matching = { access: {}, batch: 'b', index, found, facts, check, taken: createLineIndex() };
  for (const at of [0, 1]) {
    const row: Candidate = { index: at, id: `row-${at}`, kind: 'svc/edit', key, price: null, hasUrls: false };
    const rows = async function* () {
      yield row;
    };
    await matchAll(matching as unknown as Matching, { rows } as never, 1);
  }
  expect([found.sources.get(0), found.sources.get(1), found.rows]).toEqual([
    { batch: 'before', id: 'one', atMs: 1 },
    undefined,
    1,
  ]);
});
