// 5-X1: a number in an answer that cannot be is unknown, and that is said; what it would cost is then unknown, too.
import { describe, expect, it } from 'vitest';
import { adapterFor } from '../../src/kinds/index.js';
import { asyncAdapter, jsonAnswer } from './bodies.js';

const URL = 'https://out.example/a.mp4';

function factsOf(reading: unknown) {
  const { facts, outputs } = reading as { facts: object; outputs: object[] };
  return { facts, outputs };
}

describe.each([1.8e12, 0])('%d seconds', (seconds) => {
  const warnings = [expect.stringContaining(`is ${seconds}, which cannot be: taken as unknown`)];

  it('of an avatar', () => {
    const data = { id: 'h', status: 'completed', duration: seconds, video_url: URL };
    const read = asyncAdapter('vendor-b/avatar').readPoll(jsonAnswer({ data }));
    expect(factsOf(read)).toEqual({ facts: { warnings }, outputs: [{ url: URL }] });
  });

  it('of multi-mode video', () => {
    const videos = [{ url: URL, duration: String(seconds) }];
    const data = { task_id: 't', task_status: 'succeed', task_result: { videos } };
    const read = asyncAdapter('vendor-a/text2video').readPoll(jsonAnswer({ code: 0, data }));
    expect(factsOf(read)).toEqual({ facts: { warnings }, outputs: [{ url: URL }] });
  });

  it('of a clip', () => {
    const read = adapterFor('svc/clip').readSubmit(jsonAnswer({ data: [{ url: URL, duration: seconds }] }));
    expect(factsOf(read)).toEqual({ facts: { warnings }, outputs: [{ url: URL }] });
  });
});

it.each([3e12, 0])('%d tokens', (tokens) => {
  const answer = {
    id: 'cgt-1',
    status: 'succeeded',
    content: { video_url: URL },
    usage: { completion_tokens: tokens },
  };
  const read = asyncAdapter('vendor-d/video').readPoll(jsonAnswer(answer));
  expect(factsOf(read).facts).toEqual({
    usage: { completion_tokens: tokens },
    warnings: [expect.stringContaining('usage.completion_tokens')],
  });
});

describe('a clip is billed by its own length (1-D5)', () => {
  const billed = (item: object) => {
    const read = adapterFor('svc/animation').readSubmit(jsonAnswer({ data: [{ url: URL, ...item }] }));
    return factsOf(read).facts;
  };

  it('as the answer gives it, else by its frames', () => {
    expect(billed({ duration: 2.53, frames: 61, frame_rate: 24 })).toEqual({ billedSeconds: 2.53 });
    expect(billed({ frames: 61, frame_rate: 24 })).toEqual({ billedSeconds: 61 / 24 });
    expect(billed({})).toEqual({});
  });
});
