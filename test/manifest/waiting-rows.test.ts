import { expect, test } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { createIdBook } from '../../src/manifest/line-index.js';
import { createProblemLog } from '../../src/manifest/problem.js';
import { createChainTally } from '../../src/manifest/references/chains.js';
import { orderSpilled } from '../../src/manifest/references/links.js';
import { createRowFacts } from '../../src/manifest/references/row-facts.js';
import type { SpilledRow } from '../../src/manifest/references/spill.js';
import { editRow, fed } from '../support/chain-rows.js';

/** More than a call takes arguments. */
const ROWS = 130_000;

/** What comes of as many rows, each fed by the last one of the manifest. */
async function order() {
  const facts = createRowFacts();
  const ids = createIdBook();
  const chains = createChainTally(facts);
  const rowAt = (index: number): Row =>
    editRow(`e-${index}`, fed(`e-${ROWS}`, ROWS), { index, line: index + 2, hash: '0'.repeat(64) });
  for (let index = 0; index <= ROWS; index += 1) {
    ids.add(index, `e-${index}`);
    facts.add(index, rowAt(index));
  }
  const spill = {
    async *rows(): AsyncIterable<SpilledRow> {
      for (let index = 0; index < ROWS; index += 1) yield { row: rowAt(index), raw: {}, places: {} };
    },
    add: async () => undefined,
    close: async () => undefined,
  };
  const log = createProblemLog('story.csv', 10);
  const links = { facts, ids, chains, log, hasUploadStore: false, urlCovers: () => false, nameless: 0 };
  const circles = await orderSpilled(links, spill);
  return { circles, chains: chains.totals() };
}

test('a chain that is far too long takes no more memory by the row than a short one', () => {
  const facts = createRowFacts();
  const chains = createChainTally(facts);
  for (let index = 0; index < ROWS; index += 1) {
    facts.add(index, editRow(`e-${index}`, fed(`e-${index - 1}`, index - 1), { index, line: index + 2 }));
    facts.setDepth(index, index + 1);
    if (index > 0) chains.add(index, [index - 1]);
  }
  expect(Math.max(...chains.totals().paths.map(({ length }) => length))).toBe(100);
}, 30_000);

test('a manifest may have more rows that wait for a later one than a call takes arguments', async () => {
  const { circles, chains } = await order();
  expect(circles.size).toBe(0);
  expect(chains).toMatchObject({ count: 1, rows: ROWS + 1, fed: ROWS, longest: 2 });
}, 30_000);
