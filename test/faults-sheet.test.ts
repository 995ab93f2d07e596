// docs/faults.md says what callsheet does about each fault, and which tests prove it.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MUTATIONS } from './mutation/mutations.js';
import { FAULT_IDS } from './support/fault-ids.js';

const lines = readFileSync('docs/faults.md', 'utf8')
  .split('\n')
  .flatMap((text) => {
    const cells = /^\| ([FTS]\d+|T[HS]) \| (.+) \| (.+) \| (.+) \|$/.exec(text);
    if (cells === null) return [];
    const [, id = '', , , proof = ''] = cells;
    const proofs = proof.split('<br>').map((one) => /^`([^`]+)` › (.+)$/.exec(one)?.slice(1) ?? [one, '']);
    return [{ id, proofs }];
  });

it('has every rule and fault once, in order', () => {
  expect(lines.map(({ id }) => id)).toEqual(FAULT_IDS);
});

it('names tests that exist and that name the fault', () => {
  const missing = lines.flatMap(({ id, proofs }) =>
    proofs
      .filter(([file = '', title = '']) => {
        const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
        return !(new RegExp(`\\b${id}\\b`).test(title) && text.includes(`'${title}'`));
      })
      .map((proof) => `${id}: ${proof.join(' › ')}`),
  );
  expect(missing).toEqual([]);
});

it('proves each with a test that was seen to go red without its branch', () => {
  const unproved = lines.filter(
    ({ id, proofs }) => !MUTATIONS.some(({ ids, test }) => ids.includes(id) && proofs.some(([file]) => file === test)),
  );
  expect(unproved.map(({ id }) => id)).toEqual([]);
});
