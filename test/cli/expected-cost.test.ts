// What a batch is expected to cost goes by the kinds of its open rows: in a chain the cheap ones end first.
import { expect, test } from 'vitest';
import { plannedPrices, restCost } from '../../src/cli/batch/expected-cost.js';
import { newPlanTally, planCosts, type RowPlan, tallyRow } from '../../src/cli/plan/plan-tally.js';
import type { Kind } from '../../src/domain/kind.js';
import type { CreditsRange } from '../../src/domain/money.js';
import { notePlannedPrices } from '../../src/home/planned-prices.js';
import { CREDIT, type SeededRow, seededHome } from './seeded-home.js';

const IMAGE: Kind = 'svc/image';
const FILM: Kind = 'vendor-f/video';
const LIST = 1_000_000_000;

test('a plan says what a row of a kind costs where it knows each price, rows that share an output counted with it', () => {
  const tally = newPlanTally();
  const add = (kind: Kind, price: CreditsRange | null, plan: RowPlan = { plan: 'submit' }) =>
    tallyRow(tally, { kind }, plan, price);
  add(IMAGE, { lo: 4, hi: 4 });
  add(IMAGE, { lo: 8, hi: 8 });
  add(IMAGE, { lo: 4, hi: 4 }, { plan: 'shared' });
  add(FILM, { lo: 10, hi: 30 });
  add('vendor-a/text2video', { lo: 1, hi: 1 });
  add('vendor-a/text2video', null);
  expect(plannedPrices(planCosts(tally, () => LIST).byKind)).toEqual({
    [IMAGE]: { rows: 3, nano: 12, isExact: true },
    [FILM]: { rows: 1, nano: 20, isExact: false },
  });
});

test('a third of a credit is not told to the last digit', () => {
  const kinds = new Map([[FILM, { open: 1, paid: 3, paidNano: CREDIT }]]);
  expect(restCost({ kinds }, {})).toBe(333_333_000);
});

test.each<[string, Parameters<typeof restCost>[1], number | undefined]>([
  ['as planned, where each price was known', { [FILM]: { rows: 2, nano: 100_000, isExact: true } }, 350_000],
  [
    'as those that are done, where a price was a range',
    { [FILM]: { rows: 2, nano: 100_000, isExact: false } },
    280_000,
  ],
  ['as those that are done, without a plan', {}, 280_000],
])('open rows cost %s', (_, planned, rest) => {
  const kinds = new Map([
    [IMAGE, { open: 0, paid: 1, paidNano: 2_000 }],
    [FILM, { open: 7, paid: 2, paidNano: 80_000 }],
  ]);
  expect(restCost({ kinds }, planned)).toBe(rest);
});

test('before one of a kind is done its rows cost the middle of the plan, never the mean of another kind', () => {
  const kinds = new Map([
    [IMAGE, { open: 1, paid: 4, paidNano: 8_000 }],
    [FILM, { open: 7, paid: 0, paidNano: 0 }],
  ]);
  expect(restCost({ kinds }, { [FILM]: { rows: 2, nano: 100_000, isExact: false } })).toBe(352_000);
  expect(restCost({ kinds }, {})).toBeUndefined();
});

test('a portrait that is done says nothing of the films that it feeds', async () => {
  const image = { row: { kind: IMAGE }, record: { kind: IMAGE, creditsNano: 0.003 * CREDIT } };
  const rows: SeededRow[] = [{ id: 'hero', ...image }, ...['a', 'b', 'c'].map((id) => ({ id }))];
  const home = await seededHome('b', rows);
  const expected = async () => JSON.parse((await home.run('status', 'b', '--json')).stdout).creditsExpected;
  expect(await expected()).toBeNull();
  await notePlannedPrices(home.home, 'b', { [FILM]: { rows: 2, nano: CREDIT, isExact: true } });
  expect(await expected()).toBe('1.503');
});
