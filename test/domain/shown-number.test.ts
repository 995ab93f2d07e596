// What is beside a limit is never shown as the limit itself.
import { expect, test } from 'vitest';
import { megabytes, shownNumber } from '../../src/domain/shown-number.js';

test.each([
  [31_240_000, 30_000_000, '31.2 MB', '30 MB'],
  [10_000_001, 10_000_000, '10.000001 MB', '10 MB'],
  [10_040_000, 10_000_000, '10.04 MB', '10 MB'],
  [1_000_004_000, 1_000_000_000, '1000.004 MB', '1000 MB'],
  [30_000_000, 30_000_000, '30 MB', '30 MB'],
  [10_480_000, 10_520_000, '10.48 MB', '10.52 MB'],
  [512, 10_000_000, '0.001 MB', '10 MB'],
])('%i bytes beside %i', (bytes, limit, shown, shownLimit) => {
  expect([megabytes(bytes, limit), megabytes(limit, bytes)]).toEqual([shown, shownLimit]);
});

test('seconds just beyond a limit', () => {
  expect([shownNumber(15.04, 15, 1), shownNumber(15.5, 15, 1), shownNumber(29.9999, 30, 2)]).toEqual([
    15.04, 15.5, 29.9999,
  ]);
});
