import { describe, expect, it } from 'vitest';
import { billedQuantities } from '../../src/books/prices/price-book.js';
import { defined } from '../../src/domain/defined.js';
import type { Kind } from '../../src/domain/kind.js';
import { asyncAdapter, jsonAnswer } from '../vendors/bodies.js';
import { rowOf } from '../vendors/samples.js';

// An exact price is claimed only where nothing that bills is hidden: of a length that was asked for and another one that
// the service shows nobody knows which it bills (service document 2: "Billing is per second of output").

function secondsOf(kind: Kind, cells: Parameters<typeof rowOf>[1], poll: Parameters<typeof jsonAnswer>[0]) {
  const reading = asyncAdapter(kind).readPoll(jsonAnswer(poll));
  if (reading.reading !== 'succeeded') throw new Error(reading.reading);
  return billedQuantities(rowOf(kind, cells), reading.facts).second;
}

describe('the seconds that a finished film is billed for', () => {
  const film = (duration?: string) => ({
    code: 0,
    data: {
      task_status: 'succeed',
      task_result: { videos: [{ url: 'https://out.example/a.mp4', ...defined({ duration }) }] },
    },
  });

  it.each([
    ['5', { lo: 5, hi: 5 }],
    [undefined, { lo: 5, hi: 5 }],
    ['5.041667', { lo: 5, hi: 5.041667 }],
    ['4.958333', { lo: 4.958333, hi: 5 }],
  ])('vendor-a, 5 s asked and %s shown', (shown, seconds) => {
    expect(secondsOf('vendor-a/text2video', { duration: 5 }, film(shown))).toEqual(seconds);
  });

  it('motion control is billed for its driver clip', () => {
    expect(secondsOf('vendor-a/motion-control', { input_video_seconds: 5 }, film('5.2'))).toEqual({ lo: 5, hi: 5 });
  });

  it.each([
    [
      { duration: 4, images: 2 },
      { lo: 4, hi: 4 },
    ],
    [
      { output: { seconds: '5' }, image_count: 0 },
      { lo: 4, hi: 5 },
    ],
    [undefined, { lo: 4, hi: 4 }],
  ])('vendor-e, 4 s asked, usage %j', (usage, seconds) => {
    const poll = { task: { status: 'succeeded', content: { url: 'https://out.example/a.mp4' }, usage } };
    expect(secondsOf('vendor-e/video', { duration: 4 }, poll as never)).toEqual(seconds);
  });
});
