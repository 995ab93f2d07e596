// One film often feeds several rows, which all begin the moment that it is done (design 9, When it runs).
import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { editRow, fed } from '../support/chain-rows.js';
import { fedByFilm } from './support/fed-row.js';

/** What was copied is no picture. */
const UNFIT = expect.objectContaining({ reason: 'input_unfit' });

it('rows that one file feeds copy it together, and none takes the copy of another away', async () => {
  const edit = editRow('edit', fed('film', 0), { index: 1 });
  const { folder, fetchInputs } = await fedByFilm(edit, { bytes: Buffer.alloc(60_000_000, 'film') });
  const parts = () => readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('.part-'));
  const first = fetchInputs(1);
  await vi.waitUntil(() => parts().length > 0, { interval: 1, timeout: 10_000 });
  const given = await Promise.all([first, fetchInputs(1)]);
  expect(given).toEqual([UNFIT, UNFIT]);
  expect(parts()).toEqual([]);
});
