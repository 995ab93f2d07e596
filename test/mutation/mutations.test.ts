import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FAULT_IDS } from '../support/fault-ids.js';
import { MUTATIONS } from './mutations.js';

it('every text that a mutation takes away stands in its file once', () => {
  const gone = MUTATIONS.flatMap(({ ids, edits }) =>
    edits
      .filter(({ file, take }) => !existsSync(file) || readFileSync(file, 'utf8').split(take).length !== 2)
      .map(({ file, take }) => `${ids.join(' ')}: ${file}: ${take}`),
  );
  expect(gone).toEqual([]);
});

it('every rule and fault has a mutation, and its test names it', () => {
  const covered = new Set(MUTATIONS.flatMap(({ ids }) => ids));
  expect(FAULT_IDS.filter((id) => !covered.has(id))).toEqual([]);
  const silent = MUTATIONS.filter(({ ids, test }) => {
    const text = existsSync(test) ? readFileSync(test, 'utf8') : '';
    return !ids.some((id) => new RegExp(`\\b${id}\\b`).test(text));
  });
  expect(silent.map(({ ids, test }) => `${ids.join(' ')}: ${test}`)).toEqual([]);
});
