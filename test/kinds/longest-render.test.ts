// The longest render of a row (design 3, constant `Dmax`; service document 2: "avatar render time scales with clip length").
import { expect, test } from 'vitest';
import type { Media, Row } from '../../src/domain/row.js';
import { longestRenderMs } from '../../src/kinds/expected.js';

const MINUTE_MS = 60_000;
const WAITS = { syncMaxMs: 900_000, renderMaxMs: { 'vendor-f': 30 * MINUTE_MS, default: 60 * MINUTE_MS } };
const longest = (kind: Row['kind'], cells: Row['cells'] = {}, media: Row['media'] = {}) =>
  longestRenderMs({ kind, cells, media }, WAITS);

test.each([
  ['svc/clip', 2.5],
  ['svc/animation', 2.5],
  ['svc/image', 15],
  ['svc/edit', 15],
  ['vendor-f/interaction', 15],
  ['vendor-f/video', 30],
  ['vendor-a/text2video', 60],
  ['vendor-e/video', 60],
] as const)('%s: %d min', (kind, minutes) => {
  expect(longest(kind)).toEqual({ ms: minutes * MINUTE_MS, isLengthKnown: true });
});

test('2-D13: an avatar takes the longer of an hour and 20 times its speech', () => {
  const speech = (cells: Row['cells'], ...audio: Media[]) => longest('vendor-b/avatar', cells, { audio });
  const blob = { source: 'blob', sha256: 'e', mediaType: 'audio/mpeg', bytes: 600_000 } as const;
  expect(speech({ script: 'short' }).ms).toBe(60 * MINUTE_MS);
  expect(speech({ script: 'a'.repeat(3_000) }).ms).toBe(200 * MINUTE_MS);
  expect(speech({}, { ...blob, seconds: 240 }).ms).toBe(80 * MINUTE_MS);
  // Of a row that an older build wrote the bytes alone are known.
  expect(speech({}, blob)).toEqual({ ms: 200 * MINUTE_MS, isLengthKnown: true });
  expect(speech({}, { source: 'url', url: 'https://example.com/a.mp3' })).toEqual({
    ms: 360 * MINUTE_MS,
    isLengthKnown: false,
  });
});
