import { expect, it } from 'vitest';
import { canParseUrl } from '../../src/domain/can-parse-url.js';

it('says the same of a URL however often it is asked', () => {
  const asked = Array.from({ length: 100_000 }, () => canParseUrl('https://münchen.example/a.png'));
  expect(new Set(asked)).toEqual(new Set([true]));
  expect(canParseUrl('a.png')).toBe(false);
  expect(canParseUrl('a.png', 'https://example.com/')).toBe(true);
});
