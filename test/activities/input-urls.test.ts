// How long an input that was uploaded can be read (service document 2: "it must stay publicly reachable until the job completes").
import { expect, it } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { reachableSeconds } from '../../src/kinds/expected.js';

const waits = { syncMaxMs: 900_000, renderMaxMs: { default: 5_400_000 } };
const seconds = (kind: Row['kind'], cells: Row['cells'] = {}) => reachableSeconds({ kind, cells, media: {} }, waits);

it('a signed input can be read an hour beyond the longest render of its row, and for 7 days at most', () => {
  expect(seconds('vendor-c/video')).toBe(5_400 + 3_600);
  // 3,000 characters are ten minutes of speech, which may render for 200 minutes.
  expect(seconds('vendor-b/avatar', { script: 'a'.repeat(3_000) })).toBe(12_000 + 3_600);
  expect(seconds('vendor-b/avatar', { script: 'a'.repeat(1_000_000) })).toBe(7 * 86_400);
});
