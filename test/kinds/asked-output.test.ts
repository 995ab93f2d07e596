import { describe, expect, test } from 'vitest';
import { downloadPriority } from '../../src/domain/output-tries.js';
import { askedOutput, disagreements, outputBytes } from '../../src/kinds/expected.js';

describe('what a row asked its output to be', () => {
  test.each([
    ['svc/image', { width: 640, height: 480 }, { width: 640, height: 480 }],
    ['svc/image', {}, {}],
    ['svc/clip', {}, { width: 1920, height: 1080, seconds: 6 }],
    ['svc/clip', { width: 1280, height: 720, duration: 2 }, { width: 1280, height: 720, seconds: 2 }],
    ['svc/animation', {}, { seconds: 6 }],
    ['vendor-a/text2video', {}, { seconds: 5 }],
    ['vendor-a/text2video', { duration: 9 }, { seconds: 9 }],
    [
      'vendor-a/omni-video',
      {
        shots: [
          { prompt: 'a', duration: 4 },
          { prompt: 'b', duration: '6' },
        ],
      },
      { seconds: 10 },
    ],
    ['vendor-a/motion-control', { input_video_seconds: 7 }, { seconds: 7 }],
    ['vendor-b/avatar', {}, { width: 1920, height: 1080 }],
    ['vendor-b/avatar', { resolution: '4k', aspect_ratio: '16:9' }, { width: 3840, height: 2160 }],
    ['vendor-b/avatar', { aspect_ratio: '1:1' }, {}],
    ['vendor-c/video', {}, { seconds: 5 }],
    ['vendor-d/video', {}, {}],
    ['vendor-e/video', { duration: 12 }, { seconds: 12 }],
    ['vendor-f/video', {}, { seconds: 8 }],
    ['vendor-f/interaction', {}, {}],
  ] as const)('%s %j', (kind, cells, asked) => {
    expect(askedOutput({ kind, cells: structuredClone(cells) as never })).toEqual(asked);
  });

  test('a wrong size and a clip of less than half the length are told; a longer one and unknown facts are not', () => {
    const asked = { width: 1920, height: 1080, seconds: 8 };
    expect(disagreements(asked, { width: 1280, height: 720, durationSeconds: 3.5 })).toEqual([
      'the output is 1280x720, asked for 1920x1080',
      'the clip is 3.5 s long, less than half of the 8 s asked for',
    ]);
    expect(disagreements(asked, { width: 1920, height: 1080, durationSeconds: 4 })).toEqual([]);
    expect(disagreements(asked, { durationSeconds: 20 })).toEqual([]);
    expect(disagreements({}, { width: 1, height: 1, durationSeconds: 0.1 })).toEqual([]);
  });

  test('sizes are estimated from what is asked', () => {
    expect(outputBytes({ kind: 'svc/image', cells: { width: 1000, height: 1000 } })).toBe(1_000_000);
    expect(outputBytes({ kind: 'svc/clip', cells: { duration: 2 } })).toBe(1_200_000);
    expect(outputBytes({ kind: 'vendor-f/interaction', cells: {} })).toBe(0);
  });
});

test('what expires soonest goes first; where a fresh URL can be had, last', () => {
  const minutes = [0, 20, 45, 60, 24 * 60].map((left) => downloadPriority(left * 60_000));
  expect(minutes).toEqual([1, 1, 2, 3, 4]);
  expect([downloadPriority(-5), downloadPriority(null)]).toEqual([1, 5]);
});
