import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../src/service/errors.js';

const NOW_MS = Date.UTC(2026, 0, 15, 12, 0, 0);

describe('Retry-After is followed up to an hour, never sooner; what nobody can mean is 5 min (T4, F23)', () => {
  it.each([
    ['7', 7_000],
    [' 30 ', 30_000],
    ['2.5', 2_500],
    ['0', 1_000],
    ['-5', 300_000],
    ['301', 301_000],
    ['3600', 3_600_000],
    ['3601', 300_000],
    ['1e9', 300_000],
    ['1e999', 300_000],
    ['99999999999999999999', 300_000],
    ['Thu, 15 Jan 2026 12:00:20 GMT', 20_000],
    ['Thursday, 15-Jan-26 12:00:20 GMT', 20_000],
    ['Thu Jan 15 12:00:20 2026', 20_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 300_000],
    ['Thu, 15 Jan 2026 11:59:30 GMT', 1_000],
    ['Thu, 15 Jan 2026 11:58:00 GMT', 300_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 300_000],
  ])('%s', (header, expected) => {
    expect(readRetryAfter(header, NOW_MS)?.waitMs).toBe(expected);
  });

  it.each([
    undefined,
    '',
    ' ',
    'soon',
    '12 parrots',
    '5s',
    'NaN',
    'Infinity',
    '2026-01-15',
    'Thu, nonsense',
    '0x10',
    '1,2',
  ])('unreadable: %s', (header) => {
    expect(readRetryAfter(header, NOW_MS)?.waitMs).toBeUndefined();
  });

  it('any text gives nothing or a wait within the bounds', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const waitMs = readRetryAfter(header, NOW_MS)?.waitMs ?? 1_000;
        expect(waitMs).toBeGreaterThanOrEqual(1_000);
        expect(waitMs).toBeLessThanOrEqual(3_600_000);
      }),
    );
  });
});
