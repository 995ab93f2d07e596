// Which rows are rendered once (service document 1: "Same seed with same parameters gives the same result").
import { expect, test } from 'vitest';
import { type Cells, checkText, csv } from './support.js';

const row = { kind: 'svc/image', model: 'svc-delta-4', prompt: 'a poster', steps: '12' };

/** What the second of two equal rows shares. */
async function sharedBy(cells: Cells, options = {}): Promise<number | undefined> {
  const { passed } = await checkText(csv({ id: 'a', ...row, ...cells }, { id: 'b', ...row, ...cells }), options);
  expect(passed).toHaveLength(2);
  return passed[1]?.shares;
}

test('equal rows with a seed', async () => {
  expect(await sharedBy({ seed: '7' })).toBe(0);
  expect(await sharedBy({ seed: '7', prompt_expansion: 'off' })).toBe(0);
  expect(await sharedBy({})).toBeUndefined();
});

test('none whose prompt is rewritten first: the rewrite may be another one, and the seed does not fix it', async () => {
  expect(await sharedBy({ seed: '7', prompt_expansion: 'standard' })).toBeUndefined();
});

test('all of them where the user says so', async () => {
  for (const cells of [{}, { seed: '7', prompt_expansion: 'standard' }]) {
    expect(await sharedBy(cells, { shareIdentical: true })).toBe(0);
  }
});
