// Commands times situations, drawn at random: what the contract says of exit codes, sentences, JSON and money holds.
import { describe, expect, test } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { allLeaves, longOf } from './commands.js';
import { drawOne } from './draw.js';
import { runShare } from './runner.js';

const SEED = 1;
const DRAWS = 240;
/** Of a kept run: by then each flag of each command had its turn. */
const KEPT_DRAWS = 10_000;

test('every command and every flag of each is in a draw', async () => {
  const leaves = await allLeaves();
  const drawn = new Set<string>();
  for (let number = 1; number <= KEPT_DRAWS; number += 1) {
    const { leaf, words } = drawOne(SEED, number, leaves);
    for (const word of words) drawn.add(`${leaf.path} ${word.split('=')[0]}`);
    drawn.add(leaf.path);
  }
  const wanted = leaves.flatMap(({ path, options }) => [path, ...options.map((one) => `${path} ${longOf(one)}`)]);
  expect(wanted.filter((one) => !drawn.has(one))).toEqual([]);
});

test('every command says which exit codes it has', async () => {
  expect((await allLeaves()).filter(({ exitCodes }) => exitCodes.length === 0).map(({ path }) => path)).toEqual([]);
});

describe.skipIf(!hasTemporal())(`${DRAWS} commands in situations drawn from seed ${SEED}`, () => {
  test('each ends as its contract says, pays nothing that it should not, and shows no key', async () => {
    const numbers = Array.from({ length: DRAWS }, (_, i) => i + 1);
    const { draws, flaws } = await runShare({ seed: SEED, numbers, lanes: 6 }, () => undefined);
    expect(flaws).toEqual([]);
    expect(draws).toBe(DRAWS);
  });
});
