import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { conformanceRows } from '../support/conformance-rows.js';
import { FAULT_IDS } from '../support/fault-ids.js';
import { MUTATIONS } from './mutations.js';
import { RULE_MUTATIONS, ruleMutations } from './rules.js';

it('every text that a mutation takes away stands in its file once', () => {
  const gone = [...MUTATIONS, ...ruleMutations()].flatMap(({ ids, edits }) =>
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

it('every row of the conformance sheet has a mutation, and every mutation a row with that proof', () => {
  const rows = conformanceRows();
  const broken = new Set(RULE_MUTATIONS.map(({ row }) => row));
  expect(rows.filter(({ number }) => !broken.has(number)).map(({ number, rule }) => `${number} ${rule}`)).toEqual([]);
  const proofs = new Map(rows.map(({ number, proofs: { length } }) => [number, length]));
  expect(RULE_MUTATIONS.filter(({ row, proof }) => proof >= (proofs.get(row) ?? 0))).toEqual([]);
});
