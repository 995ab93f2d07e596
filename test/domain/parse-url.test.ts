import { expect, it } from 'vitest';
import { parseUrl } from '../../src/domain/parse-url.js';

it('says the same of a URL however often it is asked', () => {
  const hosts = Array.from({ length: 20_000 }, () => parseUrl('https://münchen.example/a.png')?.host);
  expect(new Set(hosts)).toEqual(new Set(['xn--mnchen-3ya.example']));
  expect(parseUrl('a.png')).toBe(undefined);
  expect(parseUrl('a.png', 'https://example.com/')?.href).toBe('https://example.com/a.png');
});
